// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whom the program counts, where it does not count all: tasks get their slots
 * from here or from their parent.
 */
#include "bpf-impl.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A free slot. The kernel takes of them, too. */
static uint32_t take_slot(struct pw_bpf *b)
{
	struct free_ring *ring = &b->rings->slots;
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);

	while (head != ring->tail)
		if (__atomic_compare_exchange_n(&ring->head, &head, head + 1,
						false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			return (uint32_t)b->free_slots[head & b->slot_mask];
	return 0;
}

static void read_comm(struct task_slot *t)
{
	char *path = pw_asprintf("/proc/%u/task/%u/comm", t->pid, t->tid);
	FILE *f = fopen(path, "re");

	free(path);
	if (!f)
		return;
	if (fgets(t->comm, sizeof(t->comm), f))
		t->comm[strcspn(t->comm, "\n")] = 0;
	fclose(f);
}

static int add_thread(struct pw_bpf *b, uint32_t pid, uint32_t tid)
{
	struct slot_ref ref = { .slot = take_slot(b) };
	struct task_slot *t = &b->slots[ref.slot];

	if (!ref.slot)
		return -ENOSPC;
	t->tid = tid;
	t->pid = pid;
	t->first_ns = t->since_ns = pw_now_ns();
	t->stack = -1;
	read_comm(t);
	__atomic_store_n(&t->change, 2, __ATOMIC_RELEASE);
	if (!bpf_map_update_elem(b->slot_of_fd, &tid, &ref, BPF_NOEXIST))
		return 0;
	free_slot(b, ref.slot); /* a parent was quicker */
	return errno == EEXIST ? 0 : -errno;
}

/* Threads that begin meanwhile have a parent that is counted, but for those of
 * a thread that was not: so look until there is no new one. */
int pw_bpf_add_process(struct pw_bpf *b, uint32_t pid, struct pw_err *err)
{
	char *path = pw_asprintf("/proc/%u/task", pid);
	int ret = 0;

	for (int round = 0; !ret && round < 3; round++) {
		DIR *dir = opendir(path);
		struct dirent *e;

		if (!dir) {
			ret = round ? 0
				    : pw_err_set(err, ESRCH,
						 "there is no process %u", pid);
			break;
		}
		while (!ret && (e = readdir(dir))) {
			uint32_t tid = (uint32_t)strtoul(e->d_name, NULL, 10);

			if (tid && (ret = add_thread(b, pid, tid)))
				pw_err_set(err, -ret,
					   "process %u cannot be followed: %s",
					   pid, strerror(-ret));
		}
		closedir(dir);
	}
	free(path);
	return ret;
}

int pw_bpf_add_children(struct pw_bpf *b, uint32_t generations,
			struct pw_err *err)
{
	struct slot_ref ref = { .follow = generations + 1 };
	uint32_t tid = (uint32_t)gettid();

	if (!bpf_map_update_elem(b->slot_of_fd, &tid, &ref, BPF_ANY))
		return 0;
	return pw_err_set(err, errno, "children cannot be followed: %s",
			  strerror(errno));
}
