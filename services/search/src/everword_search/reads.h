/* Reading from a file. */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

/* Return how many bytes were read, fewer than are wanted at the file's end; -1 where `errno` says why not. */
static inline int64_t read_all(int file, void *room, int64_t wanted, int64_t offset) {
    int64_t done = 0;
    while (done < wanted) {
        ssize_t got = pread(file, (char *)room + done, wanted - done, offset + done);
        if (got < 0)
            return -1;
        if (!got)
            break;
        done += got;
    }
    return done;
}

/* Return the number of the error that let a read end early. */
static inline int why_short(int64_t got) {
    return got < 0 ? errno : EIO;
}
