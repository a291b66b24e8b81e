/* SPDX-License-Identifier: MIT */
/*
 * A broker (AMQP 0-9-1) that ends each connection with words of its own:
 *
 *	odd_broker login|channel TEXT
 *
 * It does so when a client logs in, or when it opens a channel.  Prints "listening on ADDRESS:PORT".
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TEXT_MAX = 255, FRAME_MAX = 4096 };

/* A method on a channel, with its arguments. */
static void send_method(int fd, unsigned channel, unsigned class, unsigned method,
                        const char *arguments, size_t size)
{
	uint8_t frame[FRAME_MAX] = { 1,
		                     0,
		                     (uint8_t)channel,
		                     0,
		                     0,
		                     (uint8_t)((size + 4) >> 8),
		                     (uint8_t)(size + 4),
		                     0,
		                     (uint8_t) class,
		                     0,
		                     (uint8_t)method };

	memcpy(frame + 11, arguments, size);
	frame[11 + size] = 0xce;
	send(fd, frame, 12 + size, MSG_NOSIGNAL);
}

/* Reads until `count` frames have come; false: the client is gone. */
static int skip_frames(int fd, unsigned count)
{
	uint8_t head[7], rest[FRAME_MAX];

	while (count-- > 0) {
		if (recv(fd, head, sizeof(head), MSG_WAITALL) != sizeof(head))
			return 0;
		const size_t size = (size_t)head[5] << 8 | head[6];
		if (size + 1 > sizeof(rest) ||
		    recv(fd, rest, size + 1, MSG_WAITALL) != (ssize_t)(size + 1))
			return 0;
	}
	return 1;
}

/* Connection.Close is 10, 50 and Channel.Close 20, 40, with the same arguments. */
static void send_end(int fd, const char *text, int is_channel)
{
	const size_t length = strlen(text) < TEXT_MAX ? strlen(text) : TEXT_MAX;
	char arguments[TEXT_MAX + 7] = { 1, 64, (char)length };

	memcpy(arguments + 3, text, length);
	send_method(fd, is_channel ? 1 : 0, is_channel ? 20 : 10, is_channel ? 40 : 50, arguments,
	            length + 7);
}

static void serve_client(int fd, int is_channel, const char *text)
{
	static const char start[] = "\0\x9\0\0\0\0\0\0\0\5PLAIN\0\0\0\5en_US";
	static const char tune[] = "\0\0\0\2\0\0\0\0"; /* of at most 128 KiB a frame */
	char greeting[8];

	if (recv(fd, greeting, sizeof(greeting), MSG_WAITALL) != sizeof(greeting))
		return;
	send_method(fd, 0, 10, 10, start, sizeof(start) - 1);
	if (!skip_frames(fd, 1))
		return;
	if (is_channel) {
		send_method(fd, 0, 10, 30, tune, sizeof(tune) - 1);
		if (!skip_frames(fd, 2)) /* what it agrees to, and the name of its host */
			return;
		send_method(fd, 0, 10, 41, "", 1);
		if (!skip_frames(fd, 1))
			return;
	}
	send_end(fd, text, is_channel);
	(void)skip_frames(fd, 1);
}

int main(int argc, char **argv)
{
	struct sockaddr_in name = { .sin_family = AF_INET };
	socklen_t size = sizeof(name);
	const int listener = socket(AF_INET, SOCK_STREAM, 0);

	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (argc != 3 || bind(listener, (struct sockaddr *)(void *)&name, size) != 0 ||
	    listen(listener, 8) != 0 ||
	    getsockname(listener, (struct sockaddr *)(void *)&name, &size) != 0)
		return 2;
	printf("listening on 127.0.0.1:%u\n", ntohs(name.sin_port));
	fflush(stdout);
	for (int fd; (fd = accept(listener, NULL, NULL)) >= 0; close(fd))
		serve_client(fd, strcmp(argv[1], "channel") == 0, argv[2]);
	return 2;
}
