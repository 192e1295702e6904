/* One build runs on every processor and uses the instruction sets of the current one. */
#pragma once

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__)
#define EVERWORD_X86
/* The version of a function is selected at run time, by the processor's features and not its name. */
#define EVERWORD_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define EVERWORD_CLONES
#endif
