// SPDX-License-Identifier: GPL-2.0-only
/* Our WASI: every guest address is checked, no path leads out, what is
 * written is what the guest has written. */
#include "../../../../wasm/host-wasm2c/wasi.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define MEMORY 65536

struct guest {
	struct wasi wasi;
	uint8_t memory[MEMORY];
	char dir[64], spec[160];
	int exit_code;
};

static uint8_t *memory_of(void *arg, uint64_t *size)
{
	*size = MEMORY;
	return ((struct guest *)arg)->memory;
}

static void leave(void *arg, int code)
{
	((struct guest *)arg)->exit_code = code;
}

/* Guest directory "." is DIR/in; DIR/secret must stay out of reach. */
static int setup(void **state)
{
	static const char *const args[] = { "one", NULL };
	static const char *const env[] = { "K=V", NULL };
	const char *dirs[] = { NULL, NULL };
	struct guest *g = calloc(1, sizeof(*g));
	struct pw_host_request req = { .module_path = "/x/m.wasm",
				       .argv = args,
				       .env = env,
				       .dirs = dirs };
	char path[128];

	strcpy(g->dir, "/tmp/test-wasi-XXXXXX");
	assert_non_null(mkdtemp(g->dir));
	snprintf(path, sizeof(path), "%s/in", g->dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(g->spec, sizeof(g->spec), "%s::.", path);
	dirs[0] = g->spec;
	snprintf(path, sizeof(path), "%s/secret", g->dir);
	assert_int_equal(pw_file_write(path, "s", 1, NULL), 0);
	snprintf(path, sizeof(path), "%s/in/link", g->dir);
	assert_int_equal(symlink("../secret", path), 0);
	g->wasi =
		(struct wasi){ .memory = memory_of, .leave = leave, .arg = g };
	assert_int_equal(wasi_init(&g->wasi, &req, NULL), 0);
	*state = g;
	return 0;
}

static int teardown(void **state)
{
	struct guest *g = *state;

	wasi_release(&g->wasi);
	pw_remove_tree(g->dir, NULL);
	free(g);
	return 0;
}

#define CALL(g, name, ...) call(g, name, (const uint64_t[]){ __VA_ARGS__ })

static uint32_t call(struct guest *g, const char *name, const uint64_t *a)
{
	const struct wasi_func *f = wasi_find(name, strlen(name));

	assert_non_null(f);
	return f->run(&g->wasi, a);
}

static uint32_t u32_at(const struct guest *g, uint32_t at)
{
	uint32_t v;

	memcpy(&v, g->memory + at, 4);
	return v;
}

static void put_u32(struct guest *g, uint32_t at, uint32_t v)
{
	memcpy(g->memory + at, &v, 4);
}

static void arguments_begin_with_the_modules_name(void **state)
{
	struct guest *g = *state;

	assert_int_equal(CALL(g, "args_sizes_get", 0, 4), 0);
	assert_int_equal(u32_at(g, 0), 2);
	assert_int_equal(u32_at(g, 4), sizeof("m.wasm") + sizeof("one"));
	assert_int_equal(CALL(g, "args_get", 16, 100), 0);
	assert_string_equal((char *)g->memory + u32_at(g, 16), "m.wasm");
	assert_string_equal((char *)g->memory + u32_at(g, 20), "one");
	assert_int_equal(CALL(g, "environ_get", 16, 100), 0);
	assert_string_equal((char *)g->memory + u32_at(g, 16), "K=V");
}

static void addresses_outside_the_memory_are_faults(void **state)
{
	struct guest *g = *state;

	assert_int_equal(CALL(g, "args_sizes_get", 0, MEMORY - 3), WASI_FAULT);
	assert_int_equal(CALL(g, "environ_sizes_get", MEMORY - 3, 0),
			 WASI_FAULT);
	assert_int_equal(CALL(g, "environ_get", 0, MEMORY - 3), WASI_FAULT);
	assert_int_equal(CALL(g, "random_get", 0, MEMORY + 1), WASI_FAULT);
	assert_int_equal(CALL(g, "fd_fdstat_get", 0, MEMORY - 23), WASI_FAULT);
	assert_int_equal(CALL(g, "fd_fdstat_get", 0, MEMORY - 24), 0);
	assert_int_equal(CALL(g, "clock_time_get", 0, 0, MEMORY - 7),
			 WASI_FAULT);
	put_u32(g, 0, MEMORY - 4);
	put_u32(g, 4, 5);
	assert_int_equal(CALL(g, "fd_write", 1, 0, 1, 8), WASI_FAULT);
	put_u32(g, 0, 0xfffffff0);
	put_u32(g, 4, 0x20);
	assert_int_equal(CALL(g, "fd_write", 1, 0, 1, 8), WASI_FAULT);
	assert_int_equal(CALL(g, "fd_write", 1, 0xfffffff8, 1, 8), WASI_FAULT);
}

/* As libc asks: to read and to write, following links. */
static uint32_t open_path(struct guest *g, const char *path, uint32_t oflags)
{
	strcpy((char *)g->memory + 1000, path);
	return CALL(g, "path_open", 3, 1, 1000, strlen(path), oflags,
		    1 << 1 | 1 << 6, 0, 0, 2000);
}

static void a_file_in_the_directory_is_written_and_read(void **state)
{
	struct guest *g = *state;
	uint32_t fd;

	assert_int_equal(CALL(g, "fd_prestat_get", 3, 0), 0);
	assert_int_equal(u32_at(g, 4), 1);
	assert_int_equal(open_path(g, "new", 1), 0);
	fd = u32_at(g, 2000);
	assert_int_equal(fd, 4);
	memcpy(g->memory + 500, "text", 4);
	put_u32(g, 0, 500);
	put_u32(g, 4, 4);
	assert_int_equal(CALL(g, "fd_write", fd, 0, 1, 8), 0);
	assert_int_equal(u32_at(g, 8), 4);
	assert_int_equal(CALL(g, "fd_seek", fd, (uint64_t)-3, 1, 16), 0);
	assert_int_equal(u32_at(g, 16), 1);
	put_u32(g, 0, 600);
	assert_int_equal(CALL(g, "fd_read", fd, 0, 1, 8), 0);
	assert_int_equal(u32_at(g, 8), 3);
	assert_memory_equal(g->memory + 600, "ext", 3);
	assert_int_equal(CALL(g, "fd_close", fd), 0);
	assert_int_equal(CALL(g, "fd_read", fd, 0, 1, 8), WASI_BADF);
}

#define PATH_CALL(g, name, path, ...)              \
	(strcpy((char *)(g)->memory + 1000, path), \
	 CALL(g, name, 3, __VA_ARGS__))

static void directories_are_made_looked_at_and_removed(void **state)
{
	struct guest *g = *state;

	assert_int_equal(PATH_CALL(g, "path_create_directory", "a", 1000, 1),
			 0);
	assert_int_equal(PATH_CALL(g, "path_create_directory", "a/b/", 1000, 4),
			 0);
	assert_int_equal(open_path(g, "a/b/f", 1), 0);
	assert_int_equal(PATH_CALL(g, "path_filestat_get", "a/b/f", 1, 1000, 5,
				   0),
			 0);
	assert_int_equal(g->memory[16], 4);
	assert_int_equal(PATH_CALL(g, "path_filestat_get", "a/b", 1, 1000, 3,
				   0),
			 0);
	assert_int_equal(g->memory[16], 3);
	assert_int_equal(PATH_CALL(g, "path_remove_directory", "a/b", 1000, 3),
			 55); /* not empty */
	assert_int_equal(PATH_CALL(g, "path_unlink_file", "a/b/f", 1000, 5), 0);
	assert_int_equal(PATH_CALL(g, "path_remove_directory", "a/b", 1000, 3),
			 0);
	assert_int_equal(PATH_CALL(g, "path_filestat_get", "a/b", 1, 1000, 3,
				   0),
			 44);
}

static void no_path_leads_out_of_the_directory(void **state)
{
	static const char *const out[] = { "../secret", "/etc/passwd", "link",
					   "./../secret", ".." };
	struct guest *g = *state;

	for (size_t i = 0; i < sizeof(out) / sizeof(*out); i++)
		assert_int_equal(open_path(g, out[i], 0), WASI_NOTCAPABLE);
	strcpy((char *)g->memory + 1000, "../secret");
	assert_int_equal(CALL(g, "path_unlink_file", 3, 1000, 9),
			 WASI_NOTCAPABLE);
	assert_int_equal(CALL(g, "path_create_directory", 3, 1000, 7),
			 WASI_NOTCAPABLE);
	assert_int_equal(CALL(g, "path_filestat_get", 3, 1, 1000, 9, 0),
			 WASI_NOTCAPABLE);
	assert_int_equal(access(g->dir, F_OK), 0);
	snprintf(g->spec, sizeof(g->spec), "%s/secret", g->dir);
	assert_int_equal(access(g->spec, F_OK), 0);
	/* a descriptor of a file is no directory to start from */
	assert_int_equal(open_path(g, "new", 1), 0);
	assert_int_equal(CALL(g, "path_open", 4, 1, 1000, 3, 0, 2, 0, 0, 2000),
			 54);
}

static void descriptors_that_are_not_there_are_told(void **state)
{
	struct guest *g = *state;

	assert_int_equal(CALL(g, "fd_close", 99), WASI_BADF);
	assert_int_equal(CALL(g, "fd_close", 0xffffffff), WASI_BADF);
	assert_int_equal(CALL(g, "fd_fdstat_get", 5, 0), WASI_BADF);
	assert_int_equal(CALL(g, "fd_prestat_get", 4, 0), WASI_BADF);
	assert_int_equal(CALL(g, "fd_prestat_get", 0, 0), WASI_BADF);
	assert_int_equal(CALL(g, "fd_readdir", 3, 0, 0, 0, 0), WASI_NOSYS);
	assert_null(wasi_find("fd_writes", 9));
	assert_null(wasi_find("fd_write", 7));
}

static void a_poll_of_two_clocks_gives_the_first(void **state)
{
	struct guest *g = *state;

	for (uint32_t i = 0; i < 2; i++) {
		uint64_t timeout = i ? 1000000 : 3600000000000;

		put_u32(g, 48 * i, 70 + i);
		put_u32(g, 48 * i + 16, 1);
		memcpy(g->memory + 48 * i + 24, &timeout, 8);
	}
	assert_int_equal(CALL(g, "poll_oneoff", 0, 200, 2, 300), 0);
	assert_int_equal(u32_at(g, 300), 1);
	assert_int_equal(u32_at(g, 200), 71);
	assert_int_equal(CALL(g, "poll_oneoff", 0, 200, 0, 300), WASI_INVAL);
}

static void exit_takes_its_code_along(void **state)
{
	struct guest *g = *state;

	CALL(g, "proc_exit", 7);
	assert_int_equal(g->exit_code, 7);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(arguments_begin_with_the_modules_name),
		TEST(addresses_outside_the_memory_are_faults),
		TEST(a_file_in_the_directory_is_written_and_read),
		TEST(directories_are_made_looked_at_and_removed),
		TEST(no_path_leads_out_of_the_directory),
		TEST(descriptors_that_are_not_there_are_told),
		TEST(a_poll_of_two_clocks_gives_the_first),
		TEST(exit_takes_its_code_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
