# Steps through each function that rules.c makes, by each of its exits, and compares the caller at each instruction.
set confirm off
set pagination off
set height 0
set width 0
set $wrong = 0
set $count = 0
define check_caller
  up
  if $pc != $want_pc || $rbx != $want_rbx || $rbp != $want_rbp || $r12 != $want_r12 || $r13 != $want_r13 || $r14 != $want_r14 || $r15 != $want_r15
    set $wrong = $wrong + 1
    printf "WRONG:\n"
    bt 3
    info registers rbx rbp r12
  end
  down
  set $count = $count + 1
end
define step_through
  continue
  set $want_pc = *(long *)$sp
  set $want_rbx = $rbx
  set $want_rbp = $rbp
  set $want_r12 = $r12
  set $want_r13 = $r13
  set $want_r14 = $r14
  set $want_r15 = $r15
  bt 2
  while $pc >= (long)buffer && $pc < (long)buffer + used
    check_caller
    # `call *%rsi` is stepped over
    if *(unsigned short *)$pc == 0xd6ff
      nexti
    else
      stepi
    end
  end
end
