// SPDX-License-Identifier: GPL-2.0-only
/*
 * jitmap-resolve DUMP|MAP...: for lines "PID TIME: ADDRESS" as perf script
 * prints them, the name of the code that was there, or "-". A perf map's name
 * says its process. On standard error, how many pieces of code are not found
 * at their own address and time.
 */
#include <perfwasm/jit.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_file(struct pw_jitmap *m, const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	struct pw_jit_counts n;
	struct pw_err err;
	unsigned int pid;
	int ret;

	if (sscanf(base, "perf-%u.map", &pid) == 1)
		ret = pw_jitmap_add_perfmap(m, path, pid, &n, &err);
	else
		ret = pw_jitmap_add_dump(m, path, NULL, &n, &err);
	if (ret) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	fprintf(stderr, "%s: %" PRIu64 " functions\n", base,
		n.records[PW_JIT_LOAD]);
	if (n.malformed || n.tail_bytes || n.backward) {
		fprintf(stderr, "%s: %s\n", path, n.first_fault.msg);
		return 1;
	}
	return 0;
}

/* Code of one moment may lie over other code of that moment. */
static uint32_t count_hidden(struct pw_jitmap *m)
{
	uint32_t i, hidden = 0;

	for (i = 0; i < pw_jitmap_n_codes(m); i++) {
		const struct pw_jit_code *c = pw_jitmap_code(m, i);
		struct pw_jit_hit hit;

		if (!c->is_perfmap &&
		    (!pw_jitmap_find(m, c->pid, c->addr, c->from_ns, &hit) ||
		     hit.code != c))
			hidden++;
	}
	return hidden;
}

static void resolve(struct pw_jitmap *m, const char *line)
{
	uint64_t s, ns, addr;
	struct pw_jit_hit hit;
	unsigned int pid;

	if (sscanf(line, "%u %" SCNu64 ".%" SCNu64 ": %" SCNx64, &pid, &s, &ns,
		   &addr) != 4)
		printf("not a sample\n");
	else if (pw_jitmap_find(m, pid, addr, s * 1000000000 + ns, &hit))
		printf("%s%s\n", hit.code->name,
		       hit.is_early ? " (early)" : "");
	else
		printf("-\n");
}

int main(int argc, char **argv)
{
	struct pw_jitmap *m = pw_jitmap_new();
	char *line = NULL;
	size_t cap = 0;
	int i, bad = 0;

	for (i = 1; i < argc; i++)
		bad |= add_file(m, argv[i]);
	fprintf(stderr, "%u hidden\n", count_hidden(m));
	while (getline(&line, &cap, stdin) > 0)
		resolve(m, line);
	free(line);
	pw_jitmap_free(m);
	return bad;
}
