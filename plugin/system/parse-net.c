// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts about networks: netstat, snmp, interfaces, softnet, sockets. Formats:
 * Documentation/networking/snmp_counter.rst and net/core/net-procfs.c of Linux.
 */
#include "system-impl.h"

#include <unistd.h>

/* --- protocols ------------------------------------------------------------------------ */

/* All others count. */
static const char *const levels[] = {
	"Ip:Forwarding", "Ip:DefaultTTL", "Ip:ReasmTimeout", "Tcp:RtoAlgorithm",
	"Tcp:RtoMin",    "Tcp:RtoMax",    "Tcp:MaxConn",     "Tcp:CurrEstab",
};

static void protocol_value(struct span protocol, struct span name, uint64_t v,
			   const struct sink *k)
{
	enum table table = TABLE_NETSTAT;
	struct joined j;
	struct span both = join(&j, protocol, ":", name);

	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
		if (span_is(both, levels[i]))
			table = TABLE_NETSTAT_LEVEL;
	sink_value(k, table, NO_SPAN, both, v);
}

/* "TcpExt: NAME NAME ...", then "TcpExt: n n ...". */
void parse_netstat(struct part *p, const struct sink *k)
{
	struct span names, values, protocol, other, name;
	uint64_t v;

	while (take_line(&p->left, &names) && take_line(&p->left, &values)) {
		if (!take_until(&names, ':', &protocol) ||
		    !take_until(&values, ':', &other) ||
		    !span_same(protocol, other))
			return;
		while (take_word(&names, &name) && take_numbers(&values, &v, 1))
			protocol_value(protocol, name, v, k);
	}
}

/* "Ip6InReceives  263": the protocol ends with the 6. */
void parse_snmp6(struct part *p, const struct sink *k)
{
	struct span line, name, protocol;
	uint64_t v;

	while (take_line(&p->left, &line)) {
		if (!take_word(&line, &name) || !take_numbers(&line, &v, 1) ||
		    !take_until(&name, '6', &protocol))
			continue;
		protocol.n++;
		protocol_value(protocol, name, v, k);
	}
}

/* --- interfaces ------------------------------------------------------------------------- */

/* Two lines of heads, which have no colon. */
void parse_net(struct part *p, const struct sink *k)
{
	struct span line, name;
	uint64_t v[16];

	while (take_line(&p->left, &line))
		if (take_until(&line, ':', &name) && take_word(&name, &name) &&
		    take_numbers(&line, v, 16) == 16)
			k->row(k->ctx, TABLE_NET, name, NO_SPAN, v);
}

static uint64_t hex(struct span word)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < word.n; i++) {
		unsigned int c = (unsigned char)word.s[i];

		/* '0' is 0, 'A' and 'a' are 1, modulo 16 */
		v = v << 4 | (c > '9' ? c + 9 : c) % 16;
	}
	return v;
}

enum { SOFTNET_WORDS = 15 };

/* A line a CPU that is online; the 13th number says which, since 5.10. */
void parse_softnet(struct part *p, const struct sink *k)
{
	struct span line, word;

	for (uint32_t cpu = 0; take_line(&p->left, &line); cpu++) {
		uint64_t v[SOFTNET_WORDS] = { 0 }, row[6];
		struct joined j;
		char digits[12];
		uint32_t n = 0, at = sizeof(digits);

		while (n < SOFTNET_WORDS && take_word(&line, &word))
			v[n++] = hex(word);
		if (n < 3)
			continue;
		memcpy(row,
		       (uint64_t[]){ v[0], v[1], v[2], v[9], v[10], v[11] },
		       sizeof(row));
		if (n >= 13)
			cpu = (uint32_t)v[12];
		for (uint32_t x = cpu; at == sizeof(digits) || x; x /= 10)
			digits[--at] = (char)('0' + x % 10);
		k->row(k->ctx, TABLE_SOFTNET,
		       join(&j, SPAN("cpu"), "",
			    (struct span){ digits + at,
					   (uint32_t)sizeof(digits) - at }),
		       NO_SPAN, row);
	}
}

/* --- sockets --------------------------------------------------------------------------------- */

/* "TCP: inuse 1 orphan 0 tw 0 alloc 1 mem 158": mem is in pages, memory in
 * bytes. */
void parse_sockets(struct part *p, const struct sink *k)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), v;
	struct span line, protocol, name;
	struct joined j;

	while (take_line(&p->left, &line)) {
		if (!take_until(&line, ':', &protocol))
			continue;
		while (take_word(&line, &name) && take_numbers(&line, &v, 1)) {
			bool pages = span_is(name, "mem");
			bool bytes = pages || span_is(name, "memory");

			sink_value(k,
				   bytes ? TABLE_SOCKETS_BYTES : TABLE_SOCKETS,
				   NO_SPAN, join(&j, protocol, ":", name),
				   pages ? v * page : v);
		}
	}
}
