// SPDX-License-Identifier: GPL-2.0-only
/*
 * A load of one kind, by a name of its own, until it is killed:
 *   compare-system-load ticker HZ     a timer that wakes it
 *   compare-system-load scribe FILE   writes and flushes to a disk
 *   compare-system-load thrash        reads and writes all over 64 MiB
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int tick(long hz)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec t = { { 0, 1000000000 / hz }, { 0, 1 } };
	uint64_t n;

	if (fd < 0 || timerfd_settime(fd, 0, &t, NULL))
		return 1;
	while (read(fd, &n, sizeof(n)) > 0)
		;
	return 1;
}

#define PIECE (256u << 10)

static int scribble(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char *piece = malloc(PIECE);

	if (fd < 0 || !piece)
		return 1;
	memset(piece, 7, PIECE);
	for (int i = 0;; i++) {
		if (pwrite(fd, piece, PIECE, (off_t)(i % 16) * PIECE) < 0 ||
		    fdatasync(fd))
			return 1;
		usleep(10000);
	}
}

#define ROOM (64u << 20)

__attribute__((noinline)) static uint64_t thrash_loop(volatile uint8_t *room,
						      uint64_t x)
{
	for (int i = 0; i < 1000000; i++) {
		x = x * 6364136223846793005u + 1;
		room[(x >> 33) % ROOM]++;
	}
	return x;
}

static int thrash(void)
{
	volatile uint8_t *room = calloc(ROOM, 1);
	uint64_t x = 1;

	while (room)
		x = thrash_loop(room, x);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	prctl(PR_SET_NAME, argv[1]);
	prctl(PR_SET_PDEATHSIG, 9);
	if (!strcmp(argv[1], "ticker") && argc > 2 && atol(argv[2]) > 1)
		return tick(atol(argv[2]));
	if (!strcmp(argv[1], "scribe") && argc > 2)
		return scribble(argv[2]);
	return !strcmp(argv[1], "thrash") ? thrash() : 2;
}
