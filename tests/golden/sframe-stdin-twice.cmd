cairn sframe lookup -
