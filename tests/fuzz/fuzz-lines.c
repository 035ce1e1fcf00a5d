// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input is a module with DWARF or, when it is no module, a source map. A
 * refused one has a reason; of an accepted one every offset is asked for, and
 * an answer has frames, each with a file.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfwasm/lines.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A module of one function, "end", and room for offsets behind it. */
static const uint8_t tiny[] = { 0, 'a', 's', 'm', 1, 0, 0,  0, 1, 4, 1, 0x60,
				0, 0,   3,   2,   1, 0, 10, 4, 1, 2, 0, 0x0b };

static void ask(struct pw_lines *l, const struct pw_err *err, uint64_t end)
{
	struct pw_line_at at;

	if (!l) {
		if (err->code <= 0 || !err->msg[0])
			abort();
		return;
	}
	for (uint64_t off = 0; off < end; off++) {
		if (!pw_lines_find(l, off, &at))
			continue;
		if (!at.n_frames || at.n_frames > PW_LINE_MAX_FRAMES)
			abort();
		for (uint32_t i = 0; i < at.n_frames; i++)
			if (!at.frames[i].file)
				abort();
	}
	pw_lines_close(l);
}

static void ask_map(const uint8_t *data, size_t size)
{
	struct pw_module *m = pw_module_decode(tiny, sizeof(tiny), NULL);
	struct pw_lines_opts opts = { 0 };
	struct pw_err err = { .msg = "" };
	int fd = memfd_create("map", MFD_CLOEXEC);
	char path[40];

	if (!m || fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	opts.source_map_path = path;
	ask(pw_lines_open(m, &opts, &err), &err, sizeof(tiny));
	pw_module_free(m);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pw_err err = { .msg = "" };
	struct pw_module *m = pw_module_decode(data, size, NULL);

	if (!m) {
		ask_map(data, size);
		return 0;
	}
	err.msg[0] = 0;
	ask(pw_lines_open(m, NULL, &err), &err, size < 4096 ? size : 4096);
	pw_module_free(m);
	return 0;
}
