// SPDX-License-Identifier: GPL-2.0-only
/*
 * findings-load SECONDS: loses datagrams at a socket that nobody reads and
 * connections at one that nobody accepts from, on the loopback. Prints how many
 * datagrams it sent and the socket took.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 40

/* In a network of its own it is down. */
static void loopback_up(void)
{
	struct ifreq r = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (!ioctl(fd, SIOCGIFFLAGS, &r) && !(r.ifr_flags & IFF_UP)) {
		r.ifr_flags |= IFF_UP;
		ioctl(fd, SIOCSIFFLAGS, &r);
	}
	close(fd);
}

static int bound(int type, struct sockaddr_in *at)
{
	int fd = socket(AF_INET, type, 0);
	socklen_t n = sizeof(*at);

	memset(at, 0, sizeof(*at));
	at->sin_family = AF_INET;
	at->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)at, n) ||
	    getsockname(fd, (struct sockaddr *)at, &n)) {
		perror("socket");
		exit(1);
	}
	return fd;
}

static void connect_many(void)
{
	struct sockaddr_in at;
	int listener = bound(SOCK_STREAM, &at);

	listen(listener, 1);
	for (int i = 0; i < CONNECTIONS; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

		connect(fd, (struct sockaddr *)&at, sizeof(at));
	}
}

int main(int argc, char **argv)
{
	static const char data[1024];
	const struct timespec pause = { 0, 5000000 };
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	struct sockaddr_in at;
	int receiver, sender;
	unsigned long sent = 0, taken = 0;

	loopback_up();
	receiver = bound(SOCK_DGRAM, &at);
	sender = socket(AF_INET, SOCK_DGRAM, 0);
	connect_many();
	for (int turn = 0; turn < seconds * 200; turn++) {
		for (int i = 0; i < 20; i++)
			sent += sendto(sender, data, sizeof(data), 0,
				       (struct sockaddr *)&at,
				       sizeof(at)) == sizeof(data);
		nanosleep(&pause, NULL);
	}
	while (recv(receiver, (char[1]){ 0 }, 1, MSG_DONTWAIT) > 0)
		taken++;
	printf("%lu %lu\n", sent, taken);
	return 0;
}
