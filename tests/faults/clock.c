/* A clock that jumps: loaded before libc, it adds the seconds in the file FAULTS_CLOCK to the time of day of this process.
   Clocks that only count on, by which programs wait, stay. Whoever waits until a time of day waits until the kernel's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Since 1970, and not since this machine's start. */
#define IS_TIME_OF_DAY(t) ((t)->tv_sec > 1000000000)

static const volatile long none = 0;
static const volatile long *offset = &none;

__attribute__((constructor)) static void open_clock(void) {
    const char *path = getenv("FAULTS_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0) {
        void *mapped = mmap(NULL, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
        if (mapped != MAP_FAILED) offset = mapped;
        close(file);
    }
}

static struct timespec shifted(const struct timespec *until) {
    struct timespec there = *until;
    if (IS_TIME_OF_DAY(until)) there.tv_sec -= *offset;
    return there;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *offset;
    return failed;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *now, void *zone) {
    struct timespec precise;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until) {
    int (*next)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *) = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    struct timespec there = shifted(until);
    return next(c, m, &there);
}

int sem_timedwait(sem_t *s, const struct timespec *until) {
    int (*next)(sem_t *, const struct timespec *) = dlsym(RTLD_NEXT, "sem_timedwait");
    struct timespec there = shifted(until);
    return next(s, &there);
}

long syscall(long number, ...) {
    static long (*next)(long, ...);
    long a[6];
    va_list given;
    struct timespec there;
    va_start(given, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(given, long);
    va_end(given);
    if (!next) next = dlsym(RTLD_NEXT, "syscall");
    if (number == SYS_futex && (a[1] & FUTEX_CLOCK_REALTIME) && a[3]) {
        there = shifted((const struct timespec *)a[3]);
        a[3] = (long)&there;
    }
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
