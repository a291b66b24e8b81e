cairn sframe
cairn sframe main
cairn sframe -json main
