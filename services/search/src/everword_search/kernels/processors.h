/* One build runs on every processor, and takes what the one it runs on has. */
#pragma once

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__)
#define EVERWORD_X86
/* Which of a function's versions is called is found out by what the processor has, not by its name. */
#define EVERWORD_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define EVERWORD_CLONES
#endif
