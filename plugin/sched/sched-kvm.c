// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual CPUs: a thread enters the guest and leaves it for a reason; until it
 * enters again the host works for it, or lets it wait.
 */
#include <stdlib.h>

#include "sched-impl.h"

#define EXITS_MAX 65536u

/* --- names ---------------------------------------------------------------------------- */

enum { ISA_VMX = 1, ISA_SVM };
#define VMX_BASIC 0xffffu /* above: "the entry failed" and the like */

static const struct name {
	uint32_t reason;
	const char *name;
} vmx_names[] = {
#define PW_KVM_EXIT(reason, name) { reason, name },
#include "kvm-exits-vmx.def"
}, svm_names[] = {
#include "kvm-exits-svm.def"
#undef PW_KVM_EXIT
};

static int compare(const void *key, const void *name)
{
	uint32_t a = *(const uint32_t *)key;
	uint32_t b = ((const struct name *)name)->reason;

	return (a > b) - (a < b);
}

#define FIND(names, reason)                                       \
	bsearch(&(reason), names, sizeof(names) / sizeof(*names), \
		sizeof(*names), compare)

const char *pw_kvm_exit_name(uint32_t isa, uint32_t reason)
{
	const struct name *n = NULL;

	if (isa == ISA_VMX) {
		reason &= VMX_BASIC;
		n = FIND(vmx_names, reason);
	} else if (isa == ISA_SVM) {
		n = FIND(svm_names, reason);
	}
	return n ? n->name : NULL;
}

/* --- exits ----------------------------------------------------------------------------- */

/* A thread has a few dozen reasons at most, and mostly the last one again. */
uint32_t exit_of(struct pw_sched *s, struct task *t, uint32_t isa,
		 uint32_t reason)
{
	struct pw_sched_exit *e;

	for (uint32_t at = t->exits; at; at = s->next_exit[at - 1]) {
		e = &s->exits[at - 1];
		if (e->reason == reason && e->isa == isa)
			return at;
	}
	if (s->n_exits == EXITS_MAX) {
		s->cut_exits++;
		return 0;
	}
	if (!(s->n_exits & (s->n_exits - 1))) {
		uint32_t n = s->n_exits ? 2 * s->n_exits : 1;

		s->exits = pw_realloc(s->exits, n * sizeof(*e));
		s->next_exit =
			pw_realloc(s->next_exit, n * sizeof(*s->next_exit));
	}
	s->exits[s->n_exits] = (struct pw_sched_exit){ .task = t->idx,
						       .isa = isa,
						       .reason = reason };
	s->next_exit[s->n_exits] = t->exits;
	t->exits = ++s->n_exits;
	return t->exits;
}

void kvm_exit(struct pw_sched *s, uint64_t time_ns, struct task *t,
	      uint32_t isa, uint32_t reason)
{
	uint64_t ns = time_ns - t->entry_ns;

	t->exit_at = 0;
	if (!in_window(s, time_ns))
		return;
	t->pub.n_exits++;
	if (t->entry_ns && time_ns >= t->entry_ns) {
		t->pub.guest_ns += ns;
		heat_add(s, t, HEAT_GUEST, time_ns, ns);
	}
	t->exit_at = exit_of(s, t, isa, reason);
	if (t->exit_at)
		s->exits[t->exit_at - 1].n++;
	t->exit_ns = time_ns;
	t->off_at_exit_ns = t->off_all_ns;
	t->entry_ns = 0;
}

void kvm_entry(struct pw_sched *s, uint64_t time_ns, struct task *t)
{
	uint64_t ns = time_ns - t->exit_ns;
	uint64_t wait = t->off_all_ns - t->off_at_exit_ns;

	if (t->exit_at && time_ns >= t->exit_ns && in_window(s, time_ns)) {
		struct pw_sched_exit *e = &s->exits[t->exit_at - 1];

		e->host_ns += ns;
		e->wait_ns += wait;
		t->pub.host_ns += ns;
		t->pub.kvm_wait_ns += wait;
		heat_add(s, t, HEAT_HOST, time_ns, ns);
	}
	t->exit_at = 0;
	t->entry_ns = time_ns;
}

uint32_t pw_sched_n_exits(const struct pw_sched *s)
{
	return s->n_exits;
}

const struct pw_sched_exit *pw_sched_exit(const struct pw_sched *s, uint32_t i)
{
	return &s->exits[i];
}
