// SPDX-License-Identifier: GPL-2.0-only
/*
 * wamr-guest [--jitdump=FOLDER] [--dir=GUEST:HOST] [--env=NAME=VALUE]... FILE
 * [ARG...] runs a module, or what wamrc made of it, in WAMR; fetch-wamr builds
 * it in the place of WAMR's own program. Unlike that it tells a trap, by the
 * status after an abort; runs the guest on a stack that is mapped whole, whose
 * end WAMR may protect; and tells perf where wamrc's code lies.
 */
#include <elf.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <aot_runtime.h>
#include <wasm_export.h>

#define STACK_BYTES        (8u << 20)
#define LIST_MAX           64
#define STATUS_NOT_RUN     127
#define STATUS_AFTER_ABORT 134

struct guest {
	const char *dirs[LIST_MAX], *env[LIST_MAX];
	uint32_t n_dirs, n_env;
	const char *work_dir, *dump_dir;
	char **argv;
	int argc;
};

static void __attribute__((noreturn)) end(int status, const char *why)
{
	fprintf(stderr, "%s\n", why);
	exit(status);
}

static uint8_t *read_all(const char *path, uint32_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	long n;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0 || n > INT32_MAX)
		end(STATUS_NOT_RUN, "cannot read the module");
	rewind(f);
	data = malloc((size_t)n + 1);
	if (!data || fread(data, 1, (size_t)n, f) != (size_t)n)
		end(STATUS_NOT_RUN, "cannot read the module");
	fclose(f);
	*size = (uint32_t)n;
	return data;
}

/* WAMR of that time has one name for both sides. */
static void add_dir(struct guest *g, char *value)
{
	char *host = strchr(value, ':');

	if (!host || g->n_dirs == LIST_MAX)
		end(STATUS_NOT_RUN, "expected at most 64 --dir=GUEST:HOST");
	*host++ = 0;
	if (!strcmp(value, "."))
		g->work_dir = host;
	else if (strcmp(value, host))
		end(STATUS_NOT_RUN,
		    "WAMR shows a folder as . or by its own name only");
	g->dirs[g->n_dirs++] = value;
}

static void parse(struct guest *g, char **argv)
{
	for (argv++; *argv && !strncmp(*argv, "--", 2); argv++) {
		if (!strncmp(*argv, "--dir=", 6))
			add_dir(g, *argv + 6);
		else if (!strncmp(*argv, "--jitdump=", 10))
			g->dump_dir = *argv + 10;
		else if (!strncmp(*argv, "--env=", 6) && g->n_env < LIST_MAX)
			g->env[g->n_env++] = *argv + 6;
		else
			end(STATUS_NOT_RUN, "an option that is not known");
	}
	if (!*argv)
		end(STATUS_NOT_RUN, "expected a file");
	g->argv = argv;
	while (argv[g->argc])
		g->argc++;
}

/* --- a jitdump --------------------------------------------------------------- */

/* jitdump-specification.txt of the kernel's tools/perf, version 1. */
struct dump_header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time_ns, flags;
};

struct dump_load {
	uint32_t id, size;
	uint64_t time_ns;
	uint32_t pid, tid;
	uint64_t vma, addr, code_size, index;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void dump_function(FILE *f, const AOTModule *m, uint32_t i)
{
	const uint8_t *from = m->func_ptrs[i];
	const uint8_t *to = i + 1 < m->func_count
				    ? (const uint8_t *)m->func_ptrs[i + 1]
				    : (const uint8_t *)m->code + m->code_size;
	struct dump_load load = { .time_ns = now_ns(), .index = i };
	char name[32];
	int n = snprintf(name, sizeof(name), "aot_func#%u", i) + 1;

	if (to < from)
		return;
	load.pid = load.tid = (uint32_t)getpid();
	load.vma = load.addr = (uintptr_t)from;
	load.code_size = (uint64_t)(to - from);
	load.size = (uint32_t)(sizeof(load) + (size_t)n + load.code_size);
	fwrite(&load, sizeof(load), 1, f);
	fwrite(name, 1, (size_t)n, f);
	fwrite(from, 1, load.code_size, f);
}

/* perf notes the file by the page of it that is mapped to be executed. */
static void dump(const char *dir, const AOTModule *m)
{
	struct dump_header h = { .magic = 0x4A695444,
				 .version = 1,
				 .size = sizeof(h),
				 .machine = EM_X86_64,
				 .pid = (uint32_t)getpid(),
				 .time_ns = now_ns() };
	char path[4096];
	FILE *f;

#ifdef __aarch64__
	h.machine = EM_AARCH64;
#endif
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, (int)getpid());
	f = fopen(path, "w+");
	if (!f || m->module_type != Wasm_Module_AoT)
		return;
	fwrite(&h, sizeof(h), 1, f);
	for (uint32_t i = 0; i < m->func_count; i++)
		dump_function(f, m, i);
	fflush(f);
	mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC,
	     MAP_PRIVATE, fileno(f), 0);
	fclose(f);
}

/* --- the guest --------------------------------------------------------------- */

static wasm_module_t load(struct guest *g)
{
	char why[128] = "";
	uint32_t size;
	uint8_t *data = read_all(g->argv[0], &size);
	wasm_module_t m = wasm_runtime_load(data, size, why, sizeof(why));

	if (!m)
		end(STATUS_NOT_RUN, why);
	if (g->dump_dir)
		dump(g->dump_dir, (const AOTModule *)m);
	if (g->work_dir && chdir(g->work_dir))
		end(STATUS_NOT_RUN, "cannot go to the folder of --dir");
	wasm_runtime_set_wasi_args(m, g->dirs, g->n_dirs, NULL, 0, g->env,
				   g->n_env, g->argv, g->argc);
	return m;
}

/* All on one thread: signals get their stack where WAMR is set up. */
static void *run(void *arg)
{
	RuntimeInitArgs init = { .mem_alloc_type =
					 Alloc_With_System_Allocator };
	char why[128] = "";
	wasm_module_inst_t inst;
	wasm_function_inst_t start;
	wasm_exec_env_t env;

	if (!wasm_runtime_full_init(&init))
		end(STATUS_NOT_RUN, "WAMR cannot be set up");
	inst = wasm_runtime_instantiate(load(arg), STACK_BYTES, 0, why,
					sizeof(why));
	if (!inst)
		end(STATUS_AFTER_ABORT, why);
	start = wasm_runtime_lookup_function(inst, "_start", NULL);
	if (!start)
		end(STATUS_NOT_RUN, "the module exports no _start");
	env = wasm_runtime_create_exec_env(inst, STACK_BYTES);
	if (!env)
		end(STATUS_NOT_RUN, "no memory for a stack");
	if (!wasm_runtime_call_wasm(env, start, 0, NULL))
		end(STATUS_AFTER_ABORT, wasm_runtime_get_exception(inst));
	exit(0);
}

/* This thread ends, so that none is seen to wait. */
int main(int argc, char **argv)
{
	struct guest *g = calloc(1, sizeof(*g));
	pthread_attr_t attr;
	pthread_t thread;

	(void)argc;
	if (!g)
		end(STATUS_NOT_RUN, "no memory");
	parse(g, argv);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	if (pthread_create(&thread, &attr, run, g))
		end(STATUS_NOT_RUN, "cannot start a thread");
	pthread_exit(NULL);
}
