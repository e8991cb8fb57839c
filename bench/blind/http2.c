// The least that an epoll loop over h2c can cost: it counts the frames that end a stream, reads no field and no content,
// and sends as many requests. Response times are counted by the kernel's timestamps.
//   cc -O2 -o http2 http2.c && ./http2 PORT PATH CONNECTIONS STREAMS SECONDS [sleep=US] [pieces=BYTES]
// sleep:  after sending it sleeps for so many microseconds before it polls.
// pieces: one call reads up to 16 pieces of so many bytes, each with the timestamp of its last byte (recvmmsg).
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "basics.h"

enum { DATA, HEADERS, SETTINGS = 4, PIECES = 16, ROOM = 1 << 16, REMEMBERED = 1 << 10 };

struct connection {
    int fd;
    uint32_t next;
    // Bytes of a frame that is not whole.
    int held;
    // When requests were sent, by the last bits of their streams' numbers.
    double sent[REMEMBERED];
    unsigned char buffer[ROOM];
};

static unsigned char block[512];
static int block_size;
static unsigned long answers, reads, sends, polls;
static double waited;

static int head(unsigned char *at, int length, int kind, int flags, uint32_t stream) {
    unsigned char all[9] = {length >> 16, length >> 8, length, kind, flags, stream >> 24, stream >> 16, stream >> 8, stream};
    memcpy(at, all, 9);
    return 9;
}

static void send_requests(struct connection *c, int number) {
    unsigned char out[ROOM];
    int size = 0;
    double now = seconds(CLOCK_REALTIME);
    for (int i = 0; i < number; i++) {
        size += head(out + size, block_size, HEADERS, 5, c->next);
        memcpy(out + size, block, block_size);
        size += block_size;
        c->sent[c->next / 2 % REMEMBERED] = now;
        c->next += 2;
    }
    sends++;
    if (send(c->fd, out, size, MSG_NOSIGNAL) != size)
        fail("send");
}

// Takes bytes that arrived at that time; how many streams have ended.
static int take(struct connection *c, int got, double stamp) {
    int at = 0, ended = 0, all = c->held + got;
    while (all - at >= 9) {
        unsigned char *f = c->buffer + at;
        int length = f[0] << 16 | f[1] << 8 | f[2], kind = f[3], flags = f[4];
        uint32_t stream = (uint32_t)f[5] << 24 | f[6] << 16 | f[7] << 8 | f[8];
        if (all - at < 9 + length)
            break;
        if (kind <= HEADERS && flags & 1) {
            waited += stamp - c->sent[stream / 2 % REMEMBERED];
            ended++;
        } else if (kind == SETTINGS && !(flags & 1)) {
            unsigned char ack[9];
            head(ack, 0, SETTINGS, 1, 0);
            if (send(c->fd, ack, 9, MSG_NOSIGNAL) != 9)
                fail("send");
        } else if (kind > HEADERS && kind != SETTINGS && kind != 8) {
            errno = EPROTO;
            fail("a frame that is not expected");
        }
        at += 9 + length;
    }
    c->held = all - at;
    memmove(c->buffer, c->buffer + at, c->held);
    return ended;
}

static double stamp(struct msghdr *message) {
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    if (!header || header->cmsg_type != SCM_TIMESTAMPNS)
        return seconds(CLOCK_REALTIME);
    struct timespec t;
    memcpy(&t, CMSG_DATA(header), sizeof t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

// Reads once; how many streams have ended.
static int receive(struct connection *c, int piece) {
    static char control[PIECES][64] __attribute__((aligned(8)));
    static unsigned char room[ROOM];
    struct iovec parts[PIECES];
    struct mmsghdr all[PIECES];
    int number = piece ? PIECES : 1, ended = 0;
    for (int i = 0; i < number; i++) {
        unsigned char *into = piece ? room + i * piece : c->buffer + c->held;
        int size = piece ? (i < PIECES - 1 ? piece : ROOM / 2 - i * piece) : ROOM - c->held;
        parts[i] = (struct iovec){.iov_base = into, .iov_len = size};
        all[i].msg_hdr = (struct msghdr){
            .msg_iov = &parts[i], .msg_iovlen = 1, .msg_control = control[i], .msg_controllen = sizeof control[i]};
    }
    reads++;
    if (!piece) {
        ssize_t got = recvmsg(c->fd, &all[0].msg_hdr, MSG_DONTWAIT);
        if (got < 0 && errno == EAGAIN)
            return 0;
        if (got <= 0)
            fail("receive");
        return take(c, got, stamp(&all[0].msg_hdr));
    }
    int got = recvmmsg(c->fd, all, PIECES, MSG_DONTWAIT, NULL);
    if (got < 0 && errno == EAGAIN)
        return 0;
    if (got <= 0)
        fail("receive");
    for (int i = 0; i < got; i++) {
        memcpy(c->buffer + c->held, parts[i].iov_base, all[i].msg_len);
        ended += take(c, all[i].msg_len, stamp(&all[i].msg_hdr));
    }
    return ended;
}

int main(int argc, char **argv) {
    int pause = 0, piece = 0, bad = argc < 6;
    for (int i = 6; i < argc; i++)
        bad |= sscanf(argv[i], "sleep=%d", &pause) != 1 && sscanf(argv[i], "pieces=%d", &piece) != 1;
    if (bad || strlen(argv[2]) > 100 || strlen(argv[1]) > 5 || piece * PIECES > ROOM / 2) {
        fprintf(stderr, "usage: %s PORT PATH CONNECTIONS STREAMS SECONDS [sleep=US] [pieces=BYTES]\n", argv[0]);
        return 2;
    }
    int connections = atoi(argv[3]), streams = atoi(argv[4]), one = 1, poll = epoll_create1(0);
    double length = atof(argv[5]);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    char authority[32];
    int named = snprintf(authority, sizeof authority, "127.0.0.1:%s", argv[1]), path = strlen(argv[2]);
    // `:method: GET`, `:scheme: http`, and `:path` and `:authority` without indexing (RFC 7541, appendix A).
    block_size = sprintf((char *)block, "\x82\x86\x04%c%s\x01%c%s", path, argv[2], named, authority);
    prctl(PR_SET_TIMERSLACK, 1);
    struct connection *all = calloc(connections, sizeof *all);
    for (int i = 0; i < connections; i++) {
        struct connection *c = &all[i];
        c->fd = socket(AF_INET, SOCK_STREAM, 0);
        c->next = 1;
        if (connect(c->fd, (struct sockaddr *)&address, sizeof address))
            fail("connect");
        setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        setsockopt(c->fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one);
        // No table, no pushes, and the largest windows.
        static const unsigned char settings[] = {0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff};
        unsigned char hello[128];
        int size = sprintf((char *)hello, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        size += head(hello + size, sizeof settings, SETTINGS, 0, 0);
        memcpy(hello + size, settings, sizeof settings);
        size += sizeof settings;
        size += head(hello + size, 4, 8, 0, 0);
        memcpy(hello + size, "\x7f\xff\x00\x00", 4);
        size += 4;
        if (send(c->fd, hello, size, MSG_NOSIGNAL) != size)
            fail("send");
        struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = c};
        epoll_ctl(poll, EPOLL_CTL_ADD, c->fd, &event);
    }
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), start = seconds(CLOCK_MONOTONIC);
    for (int i = 0; i < connections; i++)
        send_requests(&all[i], streams);
    struct epoll_event events[1024];
    int in_flight = connections * streams, came = 0;
    while (in_flight) {
        int going = seconds(CLOCK_MONOTONIC) < start + length;
        if (pause && came)
            nanosleep(&(struct timespec){.tv_nsec = pause * 1000L}, NULL);
        polls++;
        int n = epoll_wait(poll, events, 1024, 10000);
        if (n <= 0)
            fail("no answer within 10 s");
        came = 0;
        for (int i = 0; i < n; i++) {
            struct connection *c = events[i].data.ptr;
            int ended = receive(c, piece);
            answers += ended;
            came += ended;
            if (!going)
                in_flight -= ended;
            else if (ended)
                send_requests(c, ended);
        }
    }
    double took = seconds(CLOCK_MONOTONIC) - start;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("%lu answers, %.0f/s, cpu %.3f us/request, utilisation %.3f, response time %.1f us, reads %.3f sends %.3f polls %.3f\n", answers,
           answers / took, cpu / answers * 1e6, cpu / took, waited / answers * 1e6, (double)reads / answers, (double)sends / answers,
           (double)polls / answers);
    return 0;
}
