// The least that a k6 script can do: one request, no checks. With RATE it is an open loop.
import http from "k6/http";

const rate = Number(__ENV.RATE || 0);
export const options = {
    discardResponseBodies: true,
    summaryTrendStats: ["med", "p(99)", "max"],
    ...(rate > 0 && {
        scenarios: {
            open: {
                executor: "constant-arrival-rate",
                rate,
                timeUnit: "1s",
                duration: __ENV.DURATION,
                preAllocatedVUs: Number(__ENV.VUS),
                maxVUs: Number(__ENV.VUS),
            },
        },
    }),
};

export default function () {
    http.get(__ENV.TARGET);
}

export function handleSummary(data) {
    const told = data.metrics.http_req_duration.values;
    const dropped = data.metrics.dropped_iterations;
    return { stdout: JSON.stringify({ ...told, dropped: dropped ? dropped.values.count : 0 }) };
}
