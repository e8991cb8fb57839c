// The least that a k6 script can do over a WebSocket: a message, its echo, and the next message.
import { WebSocket } from "k6/experimental/websockets";
import { Counter } from "k6/metrics";

const replies = new Counter("replies");
const message = new Uint8Array(Number(__ENV.BYTES)).buffer;
export const options = { vus: Number(__ENV.VUS), iterations: Number(__ENV.VUS) };

export default function () {
    const socket = new WebSocket(__ENV.TARGET);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
        socket.send(message);
        setTimeout(() => socket.close(), Number(__ENV.MILLISECONDS));
    };
    socket.onmessage = () => {
        replies.add(1);
        if (socket.readyState === 1) socket.send(message);
    };
}

export function handleSummary(data) {
    return { stdout: JSON.stringify({ replies: data.metrics.replies.values.count }) };
}
