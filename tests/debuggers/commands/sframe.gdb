cairn sframe
cairn sframe -json
cairn sframe main
cairn sframe -json main
