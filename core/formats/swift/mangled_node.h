/* SPDX-License-Identifier: MIT */
/* Syntax tree of a mangled Swift name, which mangled_read.c builds and mangled_print.c prints. */
#ifndef CAIRN_FORMATS_SWIFT_MANGLED_NODE_H
#define CAIRN_FORMATS_SWIFT_MANGLED_NODE_H

#include "mangled.h"

/*
 * A reference to a node is the node's index, or 0 for a missing node. Where Swift's grammar wraps a
 * node in a node "Type", this tree sets a bit in the reference instead, which halves the number of
 * nodes.
 */
enum { SWIFT_TYPE = 0x8000 };

/*
 * Kinds of nodes. Kinds that the grammar treats alike are adjacent, so that a range test suffices.
 * The comments list the children of each kind, and describe `text` and `number` if the kind uses
 * them. A prefix is printed before the children.
 */
enum swift_kind {
	KIND_NONE,
	KIND_GLOBAL, /* children: attributes, then the entity */

	/* Contexts: entities that can contain the declarations of other entities. */
	KIND_MODULE,
	KIND_EXTENSION, /* children: module, extended type, optional generic signature */
	KIND_ANONYMOUS, /* children: name, parent, types */
	KIND_CLASS,     /* first of the nominal types; children: context, name */
	KIND_STRUCTURE,
	KIND_ENUM,
	KIND_PROTOCOL,
	KIND_ALIAS,
	KIND_OTHER_NOMINAL,
	KIND_BUILTIN_TUPLE, /* last of the nominal types */
	KIND_FUNCTION,      /* children: context, name, optional labels, type */
	KIND_VARIABLE,      /* children: context, name, optional labels, type */
	KIND_SUBSCRIPT,     /* children: context, optional labels, type, optional private name */
	/*
	 * children: context, optional labels, type, optional private name; text: demangled keyword;
	 * number: 1 for a non-allocating initializer with a private name
	 */
	KIND_INITIALIZER,
	/* child: context; text: demangled keyword; number: 1 for a deallocating deinit */
	KIND_DEINIT,
	/*
	 * children: context, type; text: whether the closure is explicit or implicit; number: its
	 * number, from 1
	 */
	KIND_CLOSURE,
	KIND_DEFAULT_ARGUMENT, /* child: context; text: prefix; number: index */
	KIND_BACKING,  /* child: context; text: "variable initialization expression" or similar */
	KIND_ACCESSOR, /* child: variable or subscript; text: kind of accessor */
	KIND_STATIC,   /* child: entity */
	KIND_MACRO,    /* children: context, name, optional labels, type */
	/*
	 * children: context, macro name, optional attached name, optional private name; text:
	 * prefix; number: index
	 */
	KIND_MACRO_EXPANSION,
	KIND_GENERIC_PARAMETER_DECL, /* children: context, name */
	KIND_CONTEXT_END,

	/* Names of declarations. */
	KIND_IDENTIFIER,
	KIND_LOCAL_NAME,   /* child: name; number: index */
	KIND_PRIVATE_NAME, /* children: discriminator, optional name */
	KIND_RELATED_NAME, /* child: name; text: kind of relation */
	KIND_OPERATOR, /* text: operator; number: 'i', 'p' or 'P' for infix, prefix or postfix */
	KIND_NAME_END,

	/* Function types and their components. */
	/*
	 * children: any of the next kinds up to KIND_ASYNC, in that order, then KIND_ARGUMENTS and
	 * KIND_RESULT; text: prefix
	 */
	KIND_FUNCTION_TYPE,
	KIND_SENDING_RESULT,
	KIND_GLOBAL_ACTOR, /* child: type */
	KIND_ISOLATED_ANY,
	KIND_CALLER_ISOLATED,
	/* number: letter that selects the attribute's argument: 'd', 'f', 'r' or 'l' */
	KIND_DIFFERENTIABLE,
	KIND_THROWS, /* child: optional type */
	KIND_SENDABLE,
	KIND_ASYNC,
	KIND_ARGUMENTS, /* child: type */
	KIND_RESULT,    /* child: type */
	KIND_LABELS,

	/* Other types. */
	KIND_BUILTIN,   /* text: name */
	KIND_TUPLE,     /* children: elements */
	KIND_ELEMENT,   /* child: type; text: label; number: 1 if variadic */
	KIND_PACK,      /* children: types; text: prefix */
	KIND_TYPE_LIST, /* children: types */
	/* generic type with arguments; children: nominal type, type list, optional conformances */
	KIND_BOUND,
	KIND_BOUND_FUNCTION,
	KIND_PARAMETER,      /* generic parameter; number: index; size: depth */
	KIND_MEMBER,         /* children: base, name */
	KIND_ASSOCIATED,     /* children: name, optional protocol */
	KIND_DEPENDENT_TYPE, /* children: generic signature, type */
	KIND_SIGNATURE,      /* children: counts, then requirements; number: number of counts */
	KIND_COUNT,          /* number: number of generic parameters at one depth */
	KIND_CONFORMS,       /* children: constrained type, then its protocol or base class */
	KIND_SAME_TYPE,      /* children: type, type */
	KIND_SAME_SHAPE,     /* children: type, type */
	/* layout constraint; children: type, optional size and alignment; text: kind */
	KIND_LAYOUT,
	/* inverse requirement (~Protocol); child: type; number: index of the protocol */
	KIND_INVERSE,
	KIND_PACK_PARAMETER,  /* child: type */
	KIND_VALUE_PARAMETER, /* children: type, type */
	KIND_METATYPE,        /* child: type; text: representation; number: 1 if existential */
	KIND_PROTOCOLS,       /* children: protocols */
	KIND_PROTOCOLS_CLASS, /* children: protocols, class */
	KIND_PROTOCOLS_ANY,   /* child: protocols; printed with AnyObject */
	KIND_CONSTRAINED,     /* children: base, requirements */
	KIND_OPAQUE,          /* child: declaration; number: index */
	KIND_OPAQUE_OF,       /* child: context */
	KIND_PACK_EXPANSION,  /* child: pattern */
	KIND_PACK_ELEMENT,    /* child: pack; number: nesting level */
	/*
	 * children: one or two types; number: letter that selects the syntactic sugar, such as T?
	 * or [T]
	 */
	KIND_SUGAR,
	KIND_INTEGER,            /* number: absolute value; text: sign */
	KIND_WORDS,              /* optional child: type; text: words, printed before the type */
	KIND_FIXED_ARRAY,        /* children: size, element */
	KIND_LOWERED_FUNCTION,   /* children: parts */
	KIND_LOWERED_PART,       /* children: words, then a type */
	KIND_LOWERED_RESULT,     /* children: words, then a type; printed after the arrow */
	KIND_LOWERED_PATTERN,    /* children: signature, type list */
	KIND_LOWERED_INVOCATION, /* child: type list */
	KIND_SHAPE,              /* child: existential type */
	/*
	 * children: list of fields; a generic box also has a signature and a list of type arguments
	 */
	KIND_BOX,

	/* Markers that exist only while a name is read. */
	KIND_EMPTY_LIST,
	KIND_FIRST_ELEMENT,
	KIND_VARIADIC,
	KIND_CONFORMANCE_REF,
	KIND_ANY_CONFORMANCE,
	KIND_RETROACTIVE,
	KIND_CONFORMANCE_LIST,

	/* Attributes of a whole symbol. They precede the entity that they apply to. */
	KIND_ATTRIBUTE,         /* text: words */
	KIND_PARTIAL_APPLY,     /* text: words, printed before the rest of the symbol */
	KIND_RESUME,            /* async funclet; text: words; number: index of the funclet */
	KIND_OUTLINED_VARIABLE, /* text: words; number: index of the variable */
	KIND_OMITTED_ATTRIBUTE, /* text: words, which the short form omits */
	/*
	 * children: arguments, optional result, optional KIND_SERIALIZED; text: kind of
	 * specialization; number: 1 for a function signature specialization, 2 for a partial
	 * specialization
	 */
	KIND_SPECIALIZATION,
	KIND_ATTRIBUTE_END,
	KIND_SERIALIZED,
	/*
	 * optional children: payload, name, types; number: how the argument changed, as CHANGED_
	 * values
	 */
	KIND_ARGUMENT_CHANGED,

	/* Other symbols. */
	/* symbol not listed below; child: the symbol's subject; text: prefix */
	KIND_OF,
	KIND_CONFORMANCE,  /* children: type, protocol, module, optional property behavior */
	KIND_WITNESS,      /* children: conformance, entity */
	KIND_VTABLE_THUNK, /* children: derived, base */
	/*
	 * children: two types, optional self type, optional signature; text: prefix; number: 1 with
	 * a self type
	 */
	KIND_REABSTRACTION,
	KIND_KEY_PATH,        /* children: entity, optional signature, types; text: prefix */
	KIND_KEY_PATH_HELPER, /* children: types, optional signature; text: prefix */
	KIND_LAZY_TABLE,      /* children: type, conformance; text: prefix */
	/*
	 * children: conformance or type, optional name or path, optional type or protocol; text:
	 * prefix
	 */
	KIND_ASSOCIATED_ACCESS,
	KIND_VALUE_WITNESS, /* child: type; text: kind of operation */
	/*
	 * children: type, optional signature; text: prefix; number: 1 if the signature is printed
	 */
	KIND_OUTLINED,
	/*
	 * children: list of nodes for the differentiated function, list of parameter and result
	 * subsets; text: prefix; number: letter that selects the kind of derivative
	 */
	KIND_DERIVATIVE,
	KIND_ONCE,        /* children: context, names; text: prefix */
	KIND_PATH,        /* children: names, for associated types of associated types */
	KIND_ACTOR_THUNK, /* children: thunk, actor */
	/* children: implementation type, result type, optional signature; text: prefix */
	KIND_COMPLETION,
	KIND_TYPE_MANGLING, /* child: type */
	KIND_SUFFIX,        /* text: suffix */
	KIND_END
};

/*
 * How a function signature specialization changed an argument. The low numbers exclude each other;
 * higher bits can be combined.
 */
enum {
	CHANGED_FUNCTION = 1,
	CHANGED_GLOBAL,
	CHANGED_INTEGER,
	CHANGED_FLOAT,
	CHANGED_STRING,
	CHANGED_KEY_PATH,
	CHANGED_CLOSURE,
	CHANGED_STRUCT,
	CHANGED_BOX_TO_VALUE,
	CHANGED_BOX_TO_STACK,
	CHANGED_INOUT_TO_OUT,
	CHANGED_TO_GENERIC = 1 << 4,
	CHANGED_DEAD = 1 << 5,
	CHANGED_TO_GUARANTEED = 1 << 6,
	CHANGED_TO_OWNED = 1 << 7,
	CHANGED_EXPLODED = 1 << 8,
};

/* State while one mangled name is read. Each nested name has its own reader. */
struct swift_reader {
	struct swift_names *w;
	struct cairn_bytes in;
	size_t at;
	unsigned nodes, children, top, bottom, substitutions, first_substitution, words, pool,
		nested;
	/* total size of nested names so far, including names that could not be read */
	size_t payloads;
	bool exhausted;
	struct cairn_bytes word[SWIFT_WORDS];
};

/*
 * Read the name, including its prefix, and return its KIND_GLOBAL node, or 0 if it is invalid or a
 * limit is exceeded.
 */
uint16_t swift_read(struct swift_reader *r);

/*
 * Print a tree and return the size of the output. *steps is the maximum number of nodes to print;
 * subtract the number of printed nodes from it. If a limit is exceeded, return 0 and set
 * *exhausted.
 */
size_t swift_print(const struct swift_names *w, uint16_t global, enum swift_form form,
                   unsigned *steps, char *out, size_t capacity, bool *exhausted);

#endif
