// SPDX-License-Identifier: GPL-2.0-only
/*
 * ethtool's ioctls: the only place that makes them.
 */
#include "system-nics.h"

#include <perfwasm/base.h>

#include <errno.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int nics_open(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

int nic_ask(int fd, const char *name, void *what)
{
	struct ifreq r = { .ifr_data = what };

	memcpy(r.ifr_name, name, strnlen(name, sizeof(r.ifr_name) - 1));
	return ioctl(fd, SIOCETHTOOL, &r) ? -errno : 0;
}

int nic_count(int fd, const char *name, enum ethtool_stringset set)
{
	union {
		struct ethtool_sset_info info;
		char bytes[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
	} b = { .info = { .cmd = ETHTOOL_GSSET_INFO,
			  .sset_mask = 1ULL << set } };
	int ret = nic_ask(fd, name, &b);

	if (ret || !b.info.sset_mask || !b.info.data[0])
		return ret ?: -EOPNOTSUPP;
	return b.info.data[0] < INT32_MAX ? (int)b.info.data[0] : INT32_MAX;
}

/* --- answers ------------------------------------------------------------------- */

/* How many names and numbers are written the kernel decides by what the driver
 * has then, which is more than it had where someone added queues (before Linux
 * 6.19; later ones write none). It is not to write over what is ours: what is
 * too long ends at a page that can't be written, with EFAULT. */

static size_t whole_pages(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}

void *nic_room(size_t size)
{
	size_t whole = whole_pages(size);
	char *p = mmap(NULL, whole + whole_pages(1), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	if (!mprotect(p + whole, whole_pages(1), PROT_NONE))
		return p + whole - size;
	munmap(p, whole + whole_pages(1));
	return NULL;
}

void nic_room_free(void *room, size_t size)
{
	size_t whole = whole_pages(size);

	if (room)
		munmap((char *)room + size - whole, whole + whole_pages(1));
}

/* ret is that of asking for n, of which got came. */
static int check(int ret, uint32_t n, uint32_t got)
{
	return ret == -EFAULT || (!ret && got != n) ? -EAGAIN : ret;
}

struct ethtool_gstrings *nic_names(int fd, const char *name,
				   enum ethtool_stringset set, uint32_t n,
				   int *error)
{
	size_t size =
		sizeof(struct ethtool_gstrings) + n * (size_t)ETH_GSTRING_LEN;
	struct ethtool_gstrings *room = nic_room(size), *all = NULL;

	*error = -ENOMEM;
	if (!room)
		return NULL;
	room->cmd = ETHTOOL_GSTRINGS;
	room->string_set = set;
	room->len = n;
	*error = nic_ask(fd, name, room);
	*error = check(*error, n, room->len);
	if (!*error) {
		all = pw_alloc(size);
		memcpy(all, room, size);
	}
	nic_room_free(room, size);
	return all;
}

static size_t stats_size(uint32_t n)
{
	return sizeof(struct ethtool_stats) + n * sizeof(uint64_t);
}

struct ethtool_stats *nic_stats_new(uint32_t n)
{
	return nic_room(stats_size(n));
}

void nic_stats_free(struct ethtool_stats *stats, uint32_t n)
{
	nic_room_free(stats, stats_size(n));
}

int nic_stats(int fd, const char *name, struct ethtool_stats *stats, uint32_t n)
{
	int ret;

	stats->cmd = ETHTOOL_GSTATS;
	stats->n_stats = n;
	ret = nic_ask(fd, name, stats);
	return check(ret, n, stats->n_stats);
}
