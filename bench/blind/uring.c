// The least that an io_uring loop can cost: see blind.h. System calls without liburing, so that it builds wherever the
// kernel's headers are from Linux 6.1 or later. Ends with 3 where io_uring is not to be had.
//   cc -O2 -o uring uring.c && ./uring PORT PATH CONNECTIONS SECONDS [stamps] [together=N]
//
// Each connection is one file of a fixed table, with one receive that goes on for good (multishot) into buffers that the
// kernel takes from a ring. Sends are gathered and go to the kernel with the next wait; only those that fail are told.
#include "blind.h"
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum {
    // The bytes of a buffer: the answer, its control data and a header of 16 bytes.
    ROOM = 2048,
    CONTROL = 64,
    GROUP = 0,
};

// Marks the completion of a send; below it stands the connection.
static const uint64_t SEND = 1ull << 32;

// Places in the rings, and buffers: a power of two. No more than two for each connection, for all of them are used in
// turn, and have to fit into the cache.
static unsigned entries = 64;
static int ring;
static unsigned *sq_tail, *sq_mask, *cq_head, *cq_tail, *cq_mask;
static struct io_uring_sqe *sqes;
static struct io_uring_cqe *cqes;
static unsigned tail, to_submit;
static struct io_uring_buf_ring *buffers;
static uint16_t buffers_tail;
static char *memory;
static struct msghdr message = {.msg_controllen = CONTROL};

static void unavailable(const char *what) {
    fprintf(stderr, "blind: io_uring is not to be had here: %s: %s\n", what, strerror(errno));
    exit(3);
}

static void *map(size_t size, int fd, off_t offset) {
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_POPULATE;
    void *at = mmap(0, size, PROT_READ | PROT_WRITE, flags, fd, offset);
    if (at == MAP_FAILED)
        unavailable("mmap");
    return at;
}

static void give_back(unsigned id) {
    struct io_uring_buf *buffer = &buffers->bufs[buffers_tail & (entries - 1)];
    buffer->addr = (uintptr_t)(memory + (size_t)id * ROOM);
    buffer->len = ROOM;
    buffer->bid = id;
    buffers_tail++;
}

static void publish_buffers(void) {
    atomic_store_explicit((_Atomic uint16_t *)&buffers->tail, buffers_tail, memory_order_release);
}

static void set_up(int connections) {
    // One receive and one send each.
    while (entries < 2u * connections)
        entries *= 2;
    struct io_uring_params with = {
        // Work that completions bring is done when the loop waits, and not as an interruption.
        .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
        .cq_entries = 2 * entries,
    };
    ring = syscall(SYS_io_uring_setup, entries, &with);
    if (ring < 0)
        unavailable("io_uring_setup");
    char *sq = map(with.sq_off.array + entries * sizeof(unsigned), ring, IORING_OFF_SQ_RING);
    char *cq = map(with.cq_off.cqes + with.cq_entries * sizeof(struct io_uring_cqe), ring, IORING_OFF_CQ_RING);
    sqes = map(entries * sizeof(struct io_uring_sqe), ring, IORING_OFF_SQES);
    sq_tail = (unsigned *)(sq + with.sq_off.tail);
    sq_mask = (unsigned *)(sq + with.sq_off.ring_mask);
    cq_head = (unsigned *)(cq + with.cq_off.head);
    cq_tail = (unsigned *)(cq + with.cq_off.tail);
    cq_mask = (unsigned *)(cq + with.cq_off.ring_mask);
    cqes = (struct io_uring_cqe *)(cq + with.cq_off.cqes);
    // Entry i always stands at place i.
    unsigned *array = (unsigned *)(sq + with.sq_off.array);
    for (unsigned i = 0; i < entries; i++)
        array[i] = i;
    buffers = map(entries * sizeof(struct io_uring_buf), -1, 0);
    memory = map((size_t)entries * ROOM, -1, 0);
    struct io_uring_buf_reg group = {.ring_addr = (uintptr_t)buffers, .ring_entries = entries, .bgid = GROUP};
    if (syscall(SYS_io_uring_register, ring, IORING_REGISTER_PBUF_RING, &group, 1))
        unavailable("a ring of buffers");
    for (unsigned id = 0; id < entries; id++)
        give_back(id);
    publish_buffers();
}

// Submits what is gathered, and waits until so many completions are there.
static void enter(unsigned wait_for) {
    struct __kernel_timespec limit = {.tv_sec = 10};
    struct io_uring_getevents_arg more = {.ts = (uintptr_t)&limit};
    atomic_store_explicit((_Atomic unsigned *)sq_tail, tail, memory_order_release);
    unsigned flags = IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG;
    int taken = syscall(SYS_io_uring_enter, ring, to_submit, wait_for, flags, &more, sizeof more);
    if (taken < 0)
        fail("no answer within 10 s, or io_uring_enter");
    to_submit -= taken;
}

static struct io_uring_sqe *entry(int i) {
    if (to_submit == entries)
        enter(0);
    struct io_uring_sqe *sqe = &sqes[tail++ & *sq_mask];
    to_submit++;
    memset(sqe, 0, sizeof *sqe);
    sqe->fd = i;
    sqe->flags = IOSQE_FIXED_FILE;
    sqe->user_data = i;
    return sqe;
}

static void receive(int i, int stamps) {
    struct io_uring_sqe *sqe = entry(i);
    sqe->opcode = stamps ? IORING_OP_RECVMSG : IORING_OP_RECV;
    sqe->addr = stamps ? (uintptr_t)&message : 0;
    sqe->len = stamps;
    sqe->ioprio = IORING_RECV_MULTISHOT;
    sqe->flags |= IOSQE_BUFFER_SELECT;
    sqe->buf_group = GROUP;
}

static void ask(int i, const struct job *job) {
    struct io_uring_sqe *sqe = entry(i);
    sqe->opcode = IORING_OP_SEND;
    sqe->addr = (uintptr_t)job->request;
    sqe->len = job->size;
    // All of it: a send that was cut short would be told as one that failed.
    sqe->msg_flags = MSG_NOSIGNAL | MSG_WAITALL;
    sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
    sqe->user_data |= SEND;
}

// Whether the buffer's control data is the time of arrival.
static int is_stamped(const char *buffer) {
    const struct io_uring_recvmsg_out *out = (const void *)buffer;
    const struct cmsghdr *header = (const void *)(out + 1);
    if (!out->payloadlen) {
        errno = ECONNRESET;
        fail("receive");
    }
    return out->controllen >= sizeof *header && header->cmsg_type == SCM_TIMESTAMPNS;
}

int main(int argc, char **argv) {
    struct job todo = job(argc, argv);
    set_up(todo.connections);
    int *files = calloc(todo.connections, sizeof *files);
    for (int i = 0; i < todo.connections; i++)
        files[i] = connection(&todo);
    if (syscall(SYS_io_uring_register, ring, IORING_REGISTER_FILES, files, todo.connections))
        unavailable("a table of files");
    for (int i = 0; i < todo.connections; i++) {
        receive(i, todo.stamps);
        ask(i, &todo);
    }
    int in_flight = todo.connections;
    unsigned long answers = 0, stamped = 0;
    begin(&todo);
    while (in_flight) {
        int going = seconds(CLOCK_MONOTONIC) < todo.start + todo.length;
        enter(todo.together < in_flight ? todo.together : in_flight);
        unsigned head = *cq_head, end = atomic_load_explicit((_Atomic unsigned *)cq_tail, memory_order_acquire);
        for (; head != end; head++) {
            struct io_uring_cqe *cqe = &cqes[head & *cq_mask];
            int i = (int)cqe->user_data;
            if (cqe->user_data & SEND || (cqe->res <= 0 && cqe->res != -ENOBUFS)) {
                errno = cqe->res < 0 ? -cqe->res : ECONNRESET;
                fail(cqe->user_data & SEND ? "send" : "receive");
            }
            if (!(cqe->flags & IORING_CQE_F_MORE))
                receive(i, todo.stamps);
            if (cqe->res == -ENOBUFS)
                continue;
            unsigned id = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
            if (todo.stamps)
                stamped += is_stamped(memory + (size_t)id * ROOM);
            give_back(id);
            answers++;
            if (going)
                ask(i, &todo);
            else
                in_flight--;
        }
        atomic_store_explicit((_Atomic unsigned *)cq_head, head, memory_order_release);
        publish_buffers();
    }
    return report(&todo, answers, stamped);
}
