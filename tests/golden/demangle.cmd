cairn demangle '$s4deck4DeckV4park_2atS2i_SStYaKFTQ1_' '$s4deck4parkyyFyycfU_' _ZN4pile4fillINS_3BoxEEElS1_l _RNvC5crate4main main '$s4deck'
