// A server that answers every read with the same bytes: about as fast as an epoll loop can answer, and it counts.
// It is right only while each request comes in one segment, and a client sends the next one when the answer is in.
//   cc -O2 -o server server.c && ./server
// Prints its port. On SIGTERM it prints how many requests came, and how many of them, by the kernel's stamps, came
// within a tenth of a second from the first.
#define _GNU_SOURCE // accept4
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!";
static char buffer[65536];
static volatile sig_atomic_t over;

static void end(int signal) {
    (void)signal;
    over = 1;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double stamp(struct msghdr *message) {
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    struct timespec t;
    // The kernel begins to stamp a little after the first socket has asked.
    if (header && header->cmsg_type == SCM_TIMESTAMPNS)
        memcpy(&t, CMSG_DATA(header), sizeof t);
    else
        clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

int main(void) {
    // Not restarted: the wait must end.
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), poll = epoll_create1(0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096) ||
        getsockname(listener, (struct sockaddr *)&address, &length))
        fail("listen");
    struct epoll_event events[1024] = {{.events = EPOLLIN, .data.fd = listener}};
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, events);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);

    unsigned long requests = 0, early = 0;
    // The stamp of the first request; whether all that come now came later than a tenth of a second after it.
    double first = 0;
    int late = 0;
    static char control[64] __attribute__((aligned(8)));
    while (!over) {
        int n = epoll_wait(poll, events, 1024, -1);
        for (int i = 0; i < n; i++) {
            int fd = events[i].data.fd;
            if (fd == listener) {
                while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one);
                    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = fd};
                    epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
                }
                continue;
            }
            ssize_t got;
            if (late) {
                got = recv(fd, buffer, sizeof buffer, 0);
            } else {
                struct iovec part = {.iov_base = buffer, .iov_len = sizeof buffer};
                struct msghdr message = {
                    .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
                got = recvmsg(fd, &message, 0);
                if (got > 0) {
                    double at = stamp(&message);
                    // Connections are not read in the order of their requests: the very first may be read second.
                    if (first == 0 || at < first)
                        first = at;
                    early += at <= first + 0.1;
                    // One that waits in a socket for longer than this would be missed: the server had stood still.
                    late = at > first + 1;
                }
            }
            if (got <= 0) {
                if (got == 0 || errno != EAGAIN)
                    close(fd);
                continue;
            }
            requests++;
            if (send(fd, answer, sizeof answer - 1, MSG_NOSIGNAL) < 0)
                close(fd);
        }
    }
    printf("%lu %lu\n", requests, early);
}
