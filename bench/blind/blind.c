// A closed loop that neither parses nor records: the least that an epoll loop can cost.
// It takes any read for an answer, so it is right only while each answer comes in one segment.
// With `stamps` it asks the kernel when each answer arrived, and throws that away.
//   cc -O2 -o blind blind.c && ./blind PORT PATH CONNECTIONS SECONDS [stamps]
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static char buffer[65536];

static ssize_t plain(int fd) {
    return recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
}

static ssize_t stamped(int fd) {
    static char control[64];
    struct iovec part = {.iov_base = buffer, .iov_len = sizeof buffer};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    return recvmsg(fd, &message, MSG_DONTWAIT);
}

int main(int argc, char **argv) {
    if (argc < 5 || argc > 6 || (argc == 6 && strcmp(argv[5], "stamps"))) {
        fprintf(stderr, "usage: blind PORT PATH CONNECTIONS SECONDS [stamps]\n");
        return 2;
    }
    int connections = atoi(argv[3]), stamps = argc == 6;
    double length = atof(argv[4]);
    ssize_t (*receive)(int) = stamps ? stamped : plain;
    char request[4096];
    int size = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n", argv[2], argv[1]);
    if (size >= (int)sizeof request) {
        fprintf(stderr, "blind: the path is too long\n");
        return 2;
    }
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int poll = epoll_create1(0), one = 1;
    for (int i = 0; i < connections; i++) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(fd, (struct sockaddr *)&address, sizeof address)) {
            perror("connect");
            return 1;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        if (stamps)
            setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one);
        struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = fd};
        epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
        if (send(fd, request, size, MSG_NOSIGNAL) != size) {
            perror("send");
            return 1;
        }
    }
    struct epoll_event events[1024];
    unsigned long answers = 0;
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), start = seconds(CLOCK_MONOTONIC), end = start + length;
    while (seconds(CLOCK_MONOTONIC) < end) {
        int n = epoll_wait(poll, events, 1024, 100);
        for (int i = 0; i < n; i++) {
            int fd = events[i].data.fd;
            if (receive(fd) <= 0 || send(fd, request, size, MSG_NOSIGNAL) != size) {
                perror("connection");
                return 1;
            }
            answers++;
        }
    }
    double took = seconds(CLOCK_MONOTONIC) - start;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (answers == 0) {
        fprintf(stderr, "blind: no answer\n");
        return 1;
    }
    printf("%.0f/s, cpu %.3f us/request, utilisation %.3f\n", answers / took, cpu / answers * 1e6, cpu / took);
}
