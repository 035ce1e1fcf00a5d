// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads sched.bpf.o, sizes its maps, lets it count, and takes its array maps
 * into our memory. Says why it can't, where it can't.
 */
#include "bpf-impl.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

/* --- why not --------------------------------------------------------------------- */

static bool is_locked_down(void)
{
	struct pw_file f;
	bool is;

	if (pw_file_open(&f, "/sys/kernel/security/lockdown", NULL))
		return false;
	is = memmem(f.data, f.size, "[confidentiality]", 17);
	pw_file_close(&f);
	return is;
}

/* The last line that the verifier wrote, which is the one with the reason. */
static const char *last_words(char *log)
{
	char *end = strstr(log, "\nprocessed "), *line;

	if (!end)
		end = log + strlen(log);
	*end = 0;
	line = strrchr(log, '\n');
	return line ? line + 1 : log;
}

static int refused(int why, char *log, struct pw_err *err)
{
	if ((why == EPERM || why == EACCES) && is_locked_down())
		return pw_err_set(
			err, why,
			"the kernel is locked down ([confidentiality] in /sys/kernel/security/lockdown), which forbids BPF programs that read it: boot with lockdown=integrity");
	if (why == EPERM || (why == EACCES && !*log))
		return pw_err_set(
			err, why,
			"the kernel lets you load no BPF program: be root, or have CAP_BPF and CAP_PERFMON (in a container: --cap-add BPF --cap-add PERFMON)");
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return pw_err_set(
			err, why,
			"the kernel does not tell its types (/sys/kernel/btf/vmlinux): it needs CONFIG_DEBUG_INFO_BTF=y");
	if (*log)
		return pw_err_set(
			err, why,
			"the kernel refuses the BPF program (%s): it needs Linux 5.12 or later; report this line with your kernel's version",
			last_words(log));
	return pw_err_set(
		err, why,
		"the BPF program cannot be loaded: %s; it needs Linux 5.12 or later with CONFIG_BPF_SYSCALL, CONFIG_BPF_EVENTS and CONFIG_DEBUG_INFO_BTF",
		strerror(why));
}

/* --- before it is loaded ------------------------------------------------------------ */

/* How many arguments the kernel's sched_switch has. */
static uint32_t n_switch_args(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *t;
	uint32_t n = 0;
	int id;

	if (!btf)
		return 0;
	id = btf__find_by_name_kind(btf, "btf_trace_sched_switch",
				    BTF_KIND_TYPEDEF);
	t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
	t = t ? btf__type_by_id(btf, t->type) : NULL;
	t = t && btf_is_ptr(t) ? btf__type_by_id(btf, t->type) : NULL;
	if (t && btf_is_func_proto(t))
		n = btf_vlen(t) - 1; /* the first one is libbpf's */
	btf__free(btf);
	return n;
}

static bool has_tracepoint(const char *name)
{
	char *path = pw_asprintf("/sys/kernel/tracing/events/%s/id", name);
	bool has = !access(path, R_OK);

	free(path);
	if (has)
		return true;
	path = pw_asprintf("/sys/kernel/debug/tracing/events/%s/id", name);
	has = !access(path, R_OK);
	free(path);
	return has;
}

/* What is of no use here is not loaded. */
static void choose_programs(const struct pw_bpf *b)
{
	static const char *const only_filtered[] = { "on_fork", "on_exit" };
	static const char *const guests[][2] = {
		{ "on_entry_guest", "kvm/kvm_entry" },
		{ "on_exit_guest", "kvm/kvm_exit" },
	};
	bool has_guests =
		has_tracepoint(guests[0][1]) && has_tracepoint(guests[1][1]);

	for (int i = 0; i < 2; i++) {
		struct bpf_program *p;

		p = bpf_object__find_program_by_name(b->obj, only_filtered[i]);
		bpf_program__set_autoload(p, b->opts.is_filtered);
		p = bpf_object__find_program_by_name(b->obj, guests[i][0]);
		bpf_program__set_autoload(p, has_guests);
	}
}

static uint32_t power_of_two(uint32_t at_least)
{
	uint32_t n = 1;

	while (n < at_least)
		n *= 2;
	return n;
}

static void choose_sizes(struct pw_bpf *b)
{
	struct pw_bpf_opts *o = &b->opts;

	if (!o->max_tasks)
		o->max_tasks = 16384;
	if (!o->max_blocks)
		o->max_blocks = 8 * o->max_tasks;
	if (!o->max_pairs)
		o->max_pairs = 4 * o->max_tasks;
	if (!o->max_waits)
		o->max_waits = 4 * o->max_tasks;
	if (!o->max_stacks)
		o->max_stacks = 16384;
	b->n_slots = o->max_tasks + 1;
	b->n_blocks = o->max_blocks + 1;
	b->slot_mask = power_of_two(b->n_slots) - 1;
	b->block_mask = power_of_two(b->n_blocks) - 1;
	b->n_groups = (b->n_cpus + BLOCK_CPUS - 1) / BLOCK_CPUS;
}

static struct bpf_map *map_of(const struct pw_bpf *b, const char *name)
{
	return bpf_object__find_map_by_name(b->obj, name);
}

static int set_sizes(struct pw_bpf *b)
{
	const struct pw_bpf_opts *o = &b->opts;
	const struct {
		const char *name;
		uint32_t n;
	} sizes[] = {
		{ "slots", b->n_slots },
		{ "blocks", b->n_blocks },
		{ "cpus", b->n_cpus },
		{ "cpu_groups", b->n_slots * b->n_groups },
		{ "free_slots", b->slot_mask + 1 },
		{ "free_blocks", b->block_mask + 1 },
		{ "slot_of", 2 * b->n_slots },
		{ "pairs", o->max_pairs },
		{ "waits", o->has_stacks ? o->max_waits : 1 },
		{ "exits", o->max_tasks },
		{ "stacks", power_of_two(o->has_stacks ? o->max_stacks : 1) },
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < sizeof(sizes) / sizeof(*sizes); i++)
		ret = bpf_map__set_max_entries(map_of(b, sizes[i].name),
					       sizes[i].n);
	return ret;
}

static int set_up(struct pw_bpf *b)
{
	const struct sched_settings settings = {
		.n_cpu_groups = b->n_groups,
		.slot_mask = b->slot_mask,
		.block_mask = b->block_mask,
		.is_filtered = b->opts.is_filtered,
		.has_stacks = b->opts.has_stacks,
		.has_prev_state = n_switch_args() >= 4,
	};

	choose_programs(b);
	return set_sizes(b)
		       ?: bpf_map__set_initial_value(map_of(b, ".rodata"),
						     &settings,
						     sizeof(settings));
}

/* --- its memory ----------------------------------------------------------------------- */

static int look_at(const struct pw_bpf *b, struct window *w, const char *name,
		   size_t each, size_t n, struct pw_err *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	w->size_bytes = (each * n + page - 1) / page * page;
	w->at = mmap(NULL, w->size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		     bpf_map__fd(map_of(b, name)), 0);
	if (w->at != MAP_FAILED)
		return 0;
	w->at = NULL;
	return pw_err_set(err, errno, "cannot look at the BPF map %s: %s", name,
			  strerror(errno));
}

static int look_at_all(struct pw_bpf *b, struct pw_err *err)
{
	int ret = look_at(b, &b->slots_map, "slots", sizeof(*b->slots),
			  b->n_slots, err);

	ret = ret
		      ?: look_at(b, &b->blocks_map, "blocks",
				 sizeof(*b->blocks), b->n_blocks, err);
	ret = ret
		      ?: look_at(b, &b->cpus_map, "cpus", sizeof(*b->cpus),
				 b->n_cpus, err);
	ret = ret
		      ?: look_at(b, &b->groups_map, "cpu_groups",
				 sizeof(*b->groups),
				 (size_t)b->n_slots * b->n_groups, err);
	ret = ret
		      ?: look_at(b, &b->free_slots_map, "free_slots",
				 sizeof(*b->free_slots), b->slot_mask + 1, err);
	ret = ret
		      ?: look_at(b, &b->free_blocks_map, "free_blocks",
				 sizeof(*b->free_blocks), b->block_mask + 1,
				 err);
	ret = ret
		      ?: look_at(b, &b->rings_map, ".bss", sizeof(*b->rings), 1,
				 err);
	b->slots = b->slots_map.at;
	b->blocks = b->blocks_map.at;
	b->cpus = b->cpus_map.at;
	b->groups = b->groups_map.at;
	b->free_slots = b->free_slots_map.at;
	b->free_blocks = b->free_blocks_map.at;
	b->rings = b->rings_map.at;
	return ret;
}

static void put_back(struct free_ring *ring, uint64_t *places, uint32_t mask,
		     uint32_t what)
{
	places[ring->tail & mask] = what;
	__atomic_store_n(&ring->tail, ring->tail + 1, __ATOMIC_RELEASE);
}

void free_slot(struct pw_bpf *b, uint32_t slot)
{
	memset(&b->slots[slot], 0, sizeof(*b->slots));
	put_back(&b->rings->slots, b->free_slots, b->slot_mask, slot);
}

void free_block(struct pw_bpf *b, uint32_t block)
{
	memset(&b->blocks[block], 0, sizeof(*b->blocks));
	put_back(&b->rings->blocks, b->free_blocks, b->block_mask, block);
}

static void fill_rings(struct pw_bpf *b)
{
	for (uint32_t i = 1; i < b->n_slots; i++)
		put_back(&b->rings->slots, b->free_slots, b->slot_mask, i);
	for (uint32_t i = 1; i < b->n_blocks; i++)
		put_back(&b->rings->blocks, b->free_blocks, b->block_mask, i);
}

static void remember(struct pw_bpf *b)
{
	const struct pw_bpf_opts *o = &b->opts;

	b->slot_of_fd = bpf_map__fd(map_of(b, "slot_of"));
	b->stacks_fd = bpf_map__fd(map_of(b, "stacks"));
	entries_init(&b->pairs, bpf_map__fd(map_of(b, "pairs")), o->max_pairs,
		     sizeof(struct pair_key), sizeof(struct pair_count));
	entries_init(&b->waits, bpf_map__fd(map_of(b, "waits")),
		     o->has_stacks ? o->max_waits : 1, sizeof(struct wait_key),
		     sizeof(struct wait_count));
	entries_init(&b->exits, bpf_map__fd(map_of(b, "exits")), o->max_tasks,
		     sizeof(struct exit_key), sizeof(struct exit_count));
	b->told_change = pw_zalloc(b->n_slots * sizeof(*b->told_change));
	b->told_comm = pw_zalloc(b->n_slots * sizeof(*b->told_comm));
	b->ending = pw_zalloc(b->n_slots * sizeof(*b->ending));
	b->n_stack_words = power_of_two(o->max_stacks) / 64 + 1;
	b->stacks_told = pw_zalloc(b->n_stack_words * sizeof(uint64_t));
}

/* --- its life ---------------------------------------------------------------------------- */

static int attach(struct pw_bpf *b, struct pw_err *err)
{
	struct bpf_program *p;

	bpf_object__for_each_program(p, b->obj)
	{
		struct bpf_link *link;

		if (!bpf_program__autoload(p))
			continue;
		link = bpf_program__attach(p);
		if (!link)
			return pw_err_set(
				err, errno,
				"the BPF program %s cannot be attached: %s",
				bpf_program__name(p), strerror(errno));
		b->links = pw_realloc(b->links,
				      (b->n_links + 1) * sizeof(*b->links));
		b->links[b->n_links++] = link;
	}
	return 0;
}

/* An object that is loaded, or NULL. */
static int load(struct pw_bpf *b, char *log, size_t log_bytes,
		struct pw_err *err)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .kernel_log_buf = log,
		    .kernel_log_size = log_bytes);
	char *path = pw_own_path("libexec/perf-wasm/sched.bpf.o");
	int ret, n = libbpf_num_possible_cpus();

	if (!path)
		return pw_err_set(
			err, ENOENT,
			"libexec/perf-wasm/sched.bpf.o is missing: make install puts it there");
	b->n_cpus = n > 0 ? (uint32_t)n : 1;
	choose_sizes(b);
	b->obj = bpf_object__open_file(path, &opts);
	free(path);
	if (!b->obj)
		return refused(errno, log, err);
	ret = set_up(b);
	if (!ret)
		ret = bpf_object__load(b->obj);
	return ret ? refused(-ret, log, err) : 0;
}

struct pw_bpf *pw_bpf_open(const struct pw_bpf_opts *opts, struct pw_err *err)
{
	struct pw_bpf *b = pw_zalloc(sizeof(*b));
	enum { LOG_BYTES = 1 << 20 };
	char *log = pw_zalloc(LOG_BYTES);
	int ret;

	libbpf_set_print(NULL);
	b->opts = *opts;
	ret = load(b, log, LOG_BYTES, err);
	if (!ret)
		ret = look_at_all(b, err);
	if (!ret) {
		fill_rings(b);
		remember(b);
		ret = attach(b, err);
	}
	free(log);
	if (!ret)
		return b;
	pw_bpf_close(b);
	return NULL;
}

void pw_bpf_close(struct pw_bpf *b)
{
	struct window *windows[7];

	if (!b)
		return;
	memcpy(windows,
	       (struct window *[]){ &b->slots_map, &b->blocks_map, &b->cpus_map,
				    &b->groups_map, &b->free_slots_map,
				    &b->free_blocks_map, &b->rings_map },
	       sizeof(windows));
	for (size_t i = 0; i < b->n_links; i++)
		bpf_link__destroy(b->links[i]);
	for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++)
		if (windows[i]->at)
			munmap(windows[i]->at, windows[i]->size_bytes);
	bpf_object__close(b->obj);
	entries_release(&b->pairs);
	entries_release(&b->waits);
	entries_release(&b->exits);
	free(b->links);
	free(b->told_change);
	free(b->told_comm);
	free(b->ending);
	free(b->stacks_told);
	free(b->cgroups_told);
	free(b);
}

void pw_bpf_cost(const struct pw_bpf *b, struct pw_bpf_cost *cost)
{
	struct bpf_program *p;

	memset(cost, 0, sizeof(*cost));
	bpf_object__for_each_program(p, b->obj)
	{
		struct bpf_prog_info info = { 0 };
		uint32_t size = sizeof(info);
		int fd = bpf_program__fd(p);

		if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
			continue;
		cost->runs += info.run_cnt;
		cost->ns += info.run_time_ns;
		cost->missed += info.recursion_misses;
	}
}
