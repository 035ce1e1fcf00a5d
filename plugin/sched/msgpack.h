/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * msgpack: the little of the MessagePack format (specification of 2013) that a
 * cdict has: maps, lists, texts and numbers; eight lists are read side by side,
 * in no memory. Not a library: msgpack-c makes an object of 24 bytes of each
 * value, and allocates as many as a list says it has before it sees them;
 * msgpuck's check of untrusted bytes (1.0.3) counts in an int that a list of
 * 2^32 - 1 values overflows.
 */
#ifndef PLUGIN_SCHED_MSGPACK_H
#define PLUGIN_SCHED_MSGPACK_H

#include <perfwasm/base.h>

enum msg_kind { MSG_NIL, MSG_NUMBER, MSG_TEXT, MSG_LIST, MSG_MAP };

struct msg {
	enum msg_kind kind;
	int64_t number;   /* what is too large is INT64_MAX */
	const char *text; /* n bytes, borrowed */
	uint32_t n; /* of a list or map: how many follow; a map's are pairs */
};

/* The next value; of a list or map its front. At a fault c has failed and the
 * value is nil. */
struct msg msg_next(struct pw_cursor *c);
/* Passes over the next value with all that is in it. */
void msg_skip(struct pw_cursor *c);

#endif
