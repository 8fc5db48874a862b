/* serve.h - a lanewise-compile that stays: loaded once, it forks a child for each build.
 *
 *     lanewise-compile --serve FD [WORDS...]
 *
 * leaves a copy of itself behind, the server, which waits at FD, and does what WORDS say. FD is an
 * end of a pair of sockets (SOCK_SEQPACKET) whose other end the host keeps. A message from there is
 * a request: this header and descriptors. The child that does it has the words, the variables, the
 * folder and the limits of who asks, as if that had started it. How the child ended goes to the
 * request's own end of another pair, as an int of wait(). Nothing, and the end: the server is gone.
 *
 * The server reads no source, so no source can break it. It ends when nobody holds the other end,
 * after a minute without a build, and when its own file is not the one it was loaded from. A child
 * ends early when nobody waits for its answer.
 */
#ifndef LW_SERVE_H
#define LW_SERVE_H
#include <stdint.h>
#include <sys/resource.h>

enum { LW_SERVE_IDLE_SECONDS = 60 };

/* The descriptors of a request, in order: where the answer goes; the folder; a memory file with the
 * words and then the variables, each with its NUL; what is printed; and the child's 3, 4, ... */
enum { LW_SERVE_ANSWER, LW_SERVE_FOLDER, LW_SERVE_TEXTS, LW_SERVE_PRINTED, LW_SERVE_FILES };
enum { LW_SERVE_FILES_MAX = 4 };
/* The exit status of a child that cannot become what it shall: who asks then starts the program. */
enum { LW_SERVE_CANNOT = 125 };

struct lw__serve_request {
    uint32_t word_count, variable_count;
    uint32_t is_open; /* bit i: descriptor 3 + i of the child is among those sent */
    struct rlimit limits[RLIM_NLIMITS];
};
#endif
