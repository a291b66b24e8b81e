cairn work --help
cairn work
cairn work --amqp amqp://localhost --requests a
cairn work --amqp amqp://localhost --requests a --answers ''
cairn work --amqp amqp://localhost --requests a --answers b --retry 1,0
cairn work --amqp amqp://localhost --requests a --answers b --retry 1,2,3,4,5,6,7,8,9
cairn work --amqp amqp://localhost --requests a --answers b --prefetch 0
cairn work --amqp amqp://localhost --requests a --answers b --prefetch 257
cairn work --amqp amqp://localhost --requests a --answers b --heartbeat 1
cairn work --amqp amqp://localhost --requests a --answers b --deadline 0
cairn work --amqp amqp://localhost --requests a --answers b --max-memory 1
cairn work --amqp amqp://localhost --requests a --answers b c
