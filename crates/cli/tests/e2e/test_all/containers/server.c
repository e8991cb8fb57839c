// A server that an image can hold by itself, for it needs no file beside it: `Hello, World!` for every request, on the port
// of its first argument or of PORT. It prints the cores that it may use. `crash` as its argument: it ends at once.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 256

static const char response[] = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!";

static void print_cores(void) {
    cpu_set_t set;
    printf("cores");
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        for (int core = 0; core < CPU_SETSIZE; core++)
            if (CPU_ISSET(core, &set))
                printf(" %d", core);
    printf("\n");
    fflush(stdout);
}

int main(int count, char **arguments) {
    const char *port = count > 1 ? arguments[1] : getenv("PORT");
    if (port == NULL || strcmp(port, "crash") == 0) {
        fprintf(stderr, "no port to listen on\n");
        return 3;
    }
    print_cores();
    // A child in a session of its own, which only ends when it is killed.
    if (fork() == 0) {
        setsid();
        for (;;)
            pause();
    }
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(atoi(port)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (void *)&address, sizeof address) != 0 || listen(listener, MOST) != 0) {
        perror("listen");
        return 1;
    }
    struct pollfd polled[MOST] = {{.fd = listener, .events = POLLIN}};
    int open = 1;
    for (;;) {
        poll(polled, open, -1);
        if (polled[0].revents && open < MOST)
            polled[open++] = (struct pollfd){.fd = accept(listener, NULL, NULL), .events = POLLIN};
        for (int i = 1; i < open; i++) {
            char bytes[4096];
            if (!polled[i].revents)
                continue;
            // The requests of these tests come in one piece each.
            if (read(polled[i].fd, bytes, sizeof bytes) > 0 &&
                write(polled[i].fd, response, sizeof response - 1) > 0)
                continue;
            close(polled[i].fd);
            polled[i--] = polled[--open];
        }
    }
}
