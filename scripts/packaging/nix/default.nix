# cairn for Nix: nix-build scripts/packaging/nix, in a clone.
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "cairn";
  version = "0.3.0";
  src = ../../..;

  nativeBuildInputs = with pkgs; [ meson ninja pkg-config lowdown ];
  buildInputs = with pkgs; [
    curl
    elfutils
    gdb
    libdeflate
    libmicrohttpd
    rabbitmq-c
    lz4
    xz
    zlib
    zstd
  ];
  mesonFlags = [ "-Dtests=false" "-Dcheck=disabled" "-Dlldb=disabled" ];

  meta = {
    description = "Call stacks and symbols for programs without their debug information";
    license = pkgs.lib.licenses.mit;
    mainProgram = "cairn";
    platforms = pkgs.lib.platforms.linux;
  };
}
