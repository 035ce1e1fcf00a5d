/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wasi: WASI preview 1 for a guest whose memory lies in this process. For
 * hosts whose runtime has none of its own. Internal to wasm/host-wasm2c.
 */
#ifndef PW_HOST_WASM2C_WASI_H
#define PW_HOST_WASM2C_WASI_H

#include <perfwasm/runtime.h>

#define WASI_MAX_FDS 128

enum { /* errors of preview 1 */
       WASI_BADF = 8,
       WASI_FAULT = 21,
       WASI_INVAL = 28,
       WASI_IO = 29,
       WASI_MFILE = 33,
       WASI_NAMETOOLONG = 37,
       WASI_NOSYS = 52,
       WASI_NOTCAPABLE = 76,
};

struct wasi_fd {
	int fd;    /* of this process; -1 free */
	char *dir; /* guest path of a preopened directory */
};

struct wasi_strings {
	const char **list;
	size_t n, bytes; /* with their zeros */
};

struct wasi {
	/* Given: where the guest's memory is now (NULL: it has none), and how
	 * a call of the guest ends. */
	uint8_t *(*memory)(void *arg, uint64_t *size);
	void (*leave)(void *arg, int code);
	void *arg;
	/* ours */
	struct wasi_strings args, env;
	struct wasi_fd fds[WASI_MAX_FDS];
};

struct wasi_func {
	const char *name;
	const char *params; /* i: i32, I: i64 */
	/* The arguments as bits; the result is an errno of preview 1. */
	uint32_t (*run)(struct wasi *w, const uint64_t *a);
};

/* Takes arguments, environment and directories from the request, which must
 * live on. Descriptors 0, 1 and 2 are the process's. */
int wasi_init(struct wasi *w, const struct pw_host_request *req,
	      struct pw_err *err);
void wasi_release(struct wasi *w);
/* A function of wasi_snapshot_preview1, or NULL. */
const struct wasi_func *wasi_find(const char *name, size_t len);

/* --- between the files of WASI ------------------------------------------- */

/* Guest bytes [at, at + size), or NULL when not all are memory. */
void *wasi_mem(struct wasi *w, uint64_t at, uint64_t size);
bool wasi_put(struct wasi *w, uint64_t at, const void *value, size_t size);
uint32_t wasi_errno(int error);
int wasi_host_fd(struct wasi *w, uint64_t fd); /* -1: none */
uint32_t wasi_put_u32(struct wasi *w, uint64_t at, uint64_t value); /* errno */
uint32_t wasi_put_u64(struct wasi *w, uint64_t at, uint64_t v);
extern const struct wasi_func wasi_file_funcs[], wasi_clock_funcs[];

#endif
