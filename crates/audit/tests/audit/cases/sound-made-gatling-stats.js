var stats = {
    type: "GROUP",
name: "All Requests",
path: "All Requests",
pathFormatted: "group_missing-name-b06d1",
stats: {
    "name": "All Requests",
    "numberOfRequests": {
        "total": "1200",
        "ok": "1200",
        "ko": "0"
    },
    "minResponseTime": {
        "total": "19",
        "ok": "19",
        "ko": "-"
    },
    "maxResponseTime": {
        "total": "4646",
        "ok": "4646",
        "ko": "-"
    },
    "meanResponseTime": {
        "total": "323",
        "ok": "323",
        "ko": "-"
    },
    "standardDeviation": {
        "total": "366",
        "ok": "366",
        "ko": "-"
    },
    "percentiles1": {
        "total": "197",
        "ok": "197",
        "ko": "-"
    },
    "percentiles2": {
        "total": "420",
        "ok": "420",
        "ko": "-"
    },
    "percentiles3": {
        "total": "1010",
        "ok": "1010",
        "ko": "-"
    },
    "percentiles4": {
        "total": "1736",
        "ok": "1736",
        "ko": "-"
    },
    "group1": {
    "name": "t < 800 ms",
    "htmlName": "t < 800 ms",
    "count": 1101,
    "percentage": 92
},
    "group2": {
    "name": "800 ms <= t < 1200 ms",
    "htmlName": "800 ms <= t < 1200 ms",
    "count": 66,
    "percentage": 6
},
    "group3": {
    "name": "t >= 1200 ms",
    "htmlName": "t >= 1200 ms",
    "count": 33,
    "percentage": 3
},
    "group4": {
    "name": "failed",
    "htmlName": "failed",
    "count": 0,
    "percentage": 0
},
    "meanNumberOfRequestsPerSecond": {
        "total": "20",
        "ok": "20",
        "ko": "-"
    }
},
contents: {
"req_search-1": {
        type: "REQUEST",
name: "search",
path: "search",
pathFormatted: "req_search-1",
stats: {
    "name": "search",
    "numberOfRequests": {
        "total": "700",
        "ok": "700",
        "ko": "0"
    },
    "minResponseTime": {
        "total": "38",
        "ok": "38",
        "ko": "-"
    },
    "maxResponseTime": {
        "total": "4646",
        "ok": "4646",
        "ko": "-"
    },
    "meanResponseTime": {
        "total": "488",
        "ok": "488",
        "ko": "-"
    },
    "standardDeviation": {
        "total": "403",
        "ok": "403",
        "ko": "-"
    },
    "percentiles1": {
        "total": "370",
        "ok": "370",
        "ko": "-"
    },
    "percentiles2": {
        "total": "619",
        "ok": "619",
        "ko": "-"
    },
    "percentiles3": {
        "total": "1173",
        "ok": "1173",
        "ko": "-"
    },
    "percentiles4": {
        "total": "2201",
        "ok": "2201",
        "ko": "-"
    },
    "group1": {
    "name": "t < 800 ms",
    "htmlName": "t < 800 ms",
    "count": 601,
    "percentage": 86
},
    "group2": {
    "name": "800 ms <= t < 1200 ms",
    "htmlName": "800 ms <= t < 1200 ms",
    "count": 66,
    "percentage": 9
},
    "group3": {
    "name": "t >= 1200 ms",
    "htmlName": "t >= 1200 ms",
    "count": 33,
    "percentage": 5
},
    "group4": {
    "name": "failed",
    "htmlName": "failed",
    "count": 0,
    "percentage": 0
},
    "meanNumberOfRequestsPerSecond": {
        "total": "11.667",
        "ok": "11.667",
        "ko": "-"
    }
}
    },"req_item-2": {
        type: "REQUEST",
name: "item",
path: "item",
pathFormatted: "req_item-2",
stats: {
    "name": "item",
    "numberOfRequests": {
        "total": "500",
        "ok": "500",
        "ko": "0"
    },
    "minResponseTime": {
        "total": "19",
        "ok": "19",
        "ko": "-"
    },
    "maxResponseTime": {
        "total": "360",
        "ok": "360",
        "ko": "-"
    },
    "meanResponseTime": {
        "total": "92",
        "ok": "92",
        "ko": "-"
    },
    "standardDeviation": {
        "total": "49",
        "ok": "49",
        "ko": "-"
    },
    "percentiles1": {
        "total": "80",
        "ok": "80",
        "ko": "-"
    },
    "percentiles2": {
        "total": "114",
        "ok": "114",
        "ko": "-"
    },
    "percentiles3": {
        "total": "190",
        "ok": "190",
        "ko": "-"
    },
    "percentiles4": {
        "total": "237",
        "ok": "237",
        "ko": "-"
    },
    "group1": {
    "name": "t < 800 ms",
    "htmlName": "t < 800 ms",
    "count": 500,
    "percentage": 100
},
    "group2": {
    "name": "800 ms <= t < 1200 ms",
    "htmlName": "800 ms <= t < 1200 ms",
    "count": 0,
    "percentage": 0
},
    "group3": {
    "name": "t >= 1200 ms",
    "htmlName": "t >= 1200 ms",
    "count": 0,
    "percentage": 0
},
    "group4": {
    "name": "failed",
    "htmlName": "failed",
    "count": 0,
    "percentage": 0
},
    "meanNumberOfRequestsPerSecond": {
        "total": "8.333",
        "ok": "8.333",
        "ko": "-"
    }
}
    }
}

}

function fillStats(stat){
    $("#numberOfRequests").append(stat.numberOfRequests.total);
}
