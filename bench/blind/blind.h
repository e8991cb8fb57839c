// What the blind loops share: the job, its connections, and what is told at the end.
//
// A blind loop is a closed loop that neither parses nor records. It takes any read for an answer, so it is right only
// while each answer comes in one segment. When its time is over it sends no more and reads the answers that are still
// on their way, so that its own count is the server's.
#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "basics.h"

struct job {
    struct sockaddr_in address;
    int connections;
    double length;
    // Ask the kernel when each answer arrived.
    int stamps;
    // Completions to wait for at a time.
    int together;
    char request[4096];
    int size;
    // Of a WebSocket the request that opens it; what is sent again and again is a message then.
    char opening[4096];
    int opening_size;
    // CPU time and the clock at the start, both in seconds.
    double cpu, start;
};

// Makes the request the opening of a WebSocket, and a message of so many bytes, masked with zeros, what is sent.
static void speak_websocket(struct job *job, int bytes) {
    job->opening_size = snprintf(job->opening, sizeof job->opening,
                                 "%.*sUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                                 job->size - 2, job->request);
    job->size = 6 + bytes;
    memset(job->request, 0, job->size);
    job->request[0] = (char)0x82;
    job->request[1] = (char)(0x80 | bytes);
}

static struct job job(int argc, char **argv) {
    struct job job = {.together = 1};
    int bad = argc < 5, message = 0;
    for (int i = 5; i < argc; i++) {
        if (!strcmp(argv[i], "stamps"))
            job.stamps = 1;
        else if (sscanf(argv[i], "together=%d", &job.together) != 1 && sscanf(argv[i], "message=%d", &message) != 1)
            bad = 1;
    }
    bad = bad || message < 0 || message > 125;
    if (bad) {
        fprintf(stderr, "usage: %s PORT PATH CONNECTIONS SECONDS [stamps] [together=N] [message=BYTES, 1 to 125: over WebSocket]\n", argv[0]);
        exit(2);
    }
    job.connections = atoi(argv[3]);
    job.length = atof(argv[4]);
    // More could never come.
    if (job.together > job.connections)
        job.together = job.connections;
    job.size = snprintf(job.request, sizeof job.request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n", argv[2], argv[1]);
    if (job.size >= (int)sizeof job.request) {
        fprintf(stderr, "blind: the path is too long\n");
        exit(2);
    }
    if (message)
        speak_websocket(&job, message);
    job.address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
    job.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return job;
}

static int connection(const struct job *job) {
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    if (connect(fd, (const struct sockaddr *)&job->address, sizeof job->address))
        fail("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (job->stamps && setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one))
        fail("ask for timestamps");
    if (job->opening_size) {
        char response[4096];
        int got = 0;
        if (send(fd, job->opening, job->opening_size, MSG_NOSIGNAL) != job->opening_size)
            fail("send");
        while (got < 4 || memcmp(response + got - 4, "\r\n\r\n", 4)) {
            ssize_t more = recv(fd, response + got, sizeof response - got, 0);
            if (more <= 0)
                fail("open a WebSocket");
            got += more;
        }
    }
    return fd;
}

static void begin(struct job *job) {
    job->cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    job->start = seconds(CLOCK_MONOTONIC);
}

static int report(const struct job *job, unsigned long answers, unsigned long stamped) {
    double took = seconds(CLOCK_MONOTONIC) - job->start, cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - job->cpu;
    // The kernel begins to stamp a little after the first socket has asked: the first answers may lack it.
    if (job->stamps && stamped < answers / 100 * 99) {
        fprintf(stderr, "blind: %lu answers, but %lu timestamps\n", answers, stamped);
        return 1;
    }
    printf("%lu answers, %.0f/s, cpu %.3f us/request, utilisation %.3f\n", answers, answers / took, cpu / answers * 1e6,
           cpu / took);
    return 0;
}
