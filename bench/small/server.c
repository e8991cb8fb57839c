// A small server over HTTP/1.1, as bench/gate puts it into a repository: one thread, and work for each request.
//   cc -O2 -o server server.c && ./server PORT
// Each request costs DIGESTS rounds of a digest of its path (FNV-1a, eight bytes a round): the work that a change makes longer. The
// response is the same whatever that comes to, so that both revisions do the same job.
#define _GNU_SOURCE // accept4, memmem
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define DIGESTS 4000
#define CONNECTIONS 4096
#define HEAD 8192

// What came of a request so far, a connection each.
static struct {
    size_t length;
    char bytes[HEAD];
} heads[CONNECTIONS];

// What a request's work came to: written, so that no compiler leaves the work out.
static volatile uint64_t worked;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static uint64_t fnv(uint64_t hash, const void *data, size_t length) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash;
}

static void work(const char *path, size_t length) {
    uint64_t hash = fnv(0xcbf29ce484222325, path, length);
    for (int round = 0; round < DIGESTS; round++) {
        uint64_t before = hash;
        hash = fnv(hash, &before, sizeof before);
    }
    worked = hash;
}

static const char response[] = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\nContent-Type: text/plain\r\n\r\nHello, World!";

// Responds to the whole requests that are there, one after the other; false where the connection is over.
static int respond(int fd) {
    char *from = heads[fd].bytes, *end = from + heads[fd].length, *over;
    while ((over = memmem(from, end - from, "\r\n\r\n", 4))) {
        char *path = memchr(from, ' ', over - from);
        if (!path || strncmp(from, "GET ", 4))
            return 0;
        char *after = memchr(path + 1, ' ', over - path - 1);
        if (!after)
            return 0;
        work(path + 1, after - path - 1);
        // So short a response fits into the socket's buffer while its client reads.
        if (write(fd, response, sizeof response - 1) != sizeof response - 1)
            return 0;
        from = over + 4;
    }
    heads[fd].length = end - from;
    memmove(heads[fd].bytes, from, end - from);
    return heads[fd].length < HEAD;
}

int main(int count, char **args) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), poll = epoll_create1(0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(count > 1 ? atoi(args[1]) : 8080)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, CONNECTIONS))
        fail("listen");
    struct epoll_event events[256] = {{.events = EPOLLIN, .data.fd = listener}};
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, events);
    for (;;) {
        int ready = epoll_wait(poll, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            if (fd == listener) {
                while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
                    if (fd >= CONNECTIONS || epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event)) {
                        close(fd);
                        continue;
                    }
                    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                    heads[fd].length = 0;
                }
                continue;
            }
            ssize_t got = read(fd, heads[fd].bytes + heads[fd].length, HEAD - heads[fd].length);
            if (got > 0)
                heads[fd].length += got;
            if (got <= 0 || !respond(fd))
                close(fd);
        }
    }
}
