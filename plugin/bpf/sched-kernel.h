/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What sched.bpf.c reads of the kernel: of each structure only what is used.
 * Where a field lies is found out when the program is loaded.
 */
#ifndef SCHED_KERNEL_H
#define SCHED_KERNEL_H

#include <stdint.h>

#if __has_attribute(preserve_access_index)
#define KERNEL __attribute__((preserve_access_index))
#else
#define KERNEL
#endif

struct kernfs_node {
	uint64_t id;
} KERNEL;

struct cgroup {
	struct kernfs_node *kn;
} KERNEL;

struct css_set {
	struct cgroup *dfl_cgrp;
} KERNEL;

struct mm_struct;

struct task_struct {
	int pid, tgid;
	unsigned int flags;
	unsigned int __state;
	struct mm_struct *mm;
	struct css_set *cgroups;
	char comm[16];
} KERNEL;

/* before Linux 5.14 */
struct task_struct___old {
	long state;
} KERNEL;

struct trace_event_raw_kvm_exit {
	unsigned int exit_reason;
	unsigned int isa; /* 1: VMX, 2: SVM */
} KERNEL;

/* AArch64 */
struct trace_event_raw_kvm_exit___arm {
	unsigned int esr_ec;
} KERNEL;

/* Bits of the state of a task, include/linux/sched.h. */
#define STATE_INTERRUPTIBLE   0x0001u
#define STATE_UNINTERRUPTIBLE 0x0002u
#define STATE_DEAD            0x0080u
#define STATE_NOLOAD          0x0400u
#define STATE_RTLOCK          0x1000u
#define STATE_REPORTED        0x107fu /* and not of these: it could run */

#define FLAG_KTHREAD 0x00200000u

#endif
