// The least that an epoll loop can cost: see blind.h.
//   cc -O2 -o epoll epoll.c && ./epoll PORT PATH CONNECTIONS SECONDS [stamps]
#include "blind.h"
#include <sys/epoll.h>

static char buffer[65536];

static ssize_t plain(int fd) {
    return recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
}

static unsigned long stamped_answers;

static ssize_t stamped(int fd) {
    static char control[64] __attribute__((aligned(8)));
    struct iovec part = {.iov_base = buffer, .iov_len = sizeof buffer};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t got = recvmsg(fd, &message, MSG_DONTWAIT);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    stamped_answers += header && header->cmsg_type == SCM_TIMESTAMPNS;
    return got;
}

int main(int argc, char **argv) {
    struct job todo = job(argc, argv);
    ssize_t (*receive)(int) = todo.stamps ? stamped : plain;
    int poll = epoll_create1(0), in_flight = 0;
    for (; in_flight < todo.connections; in_flight++) {
        int fd = connection(&todo);
        struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = fd};
        epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
        if (send(fd, todo.request, todo.size, MSG_NOSIGNAL) != todo.size)
            fail("send");
    }
    struct epoll_event events[1024];
    unsigned long answers = 0;
    begin(&todo);
    while (in_flight) {
        int going = seconds(CLOCK_MONOTONIC) < todo.start + todo.length;
        int n = epoll_wait(poll, events, 1024, 10000);
        if (n <= 0)
            fail("no answer within 10 s");
        for (int i = 0; i < n; i++) {
            int fd = events[i].data.fd;
            if (receive(fd) <= 0)
                fail("receive");
            answers++;
            if (!going)
                in_flight--;
            else if (send(fd, todo.request, todo.size, MSG_NOSIGNAL) != todo.size)
                fail("send");
        }
    }
    return report(&todo, answers, stamped_answers);
}
