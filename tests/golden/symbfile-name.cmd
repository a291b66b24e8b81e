cairn symbfile name _ZN4pile4fillINS_3BoxEEElS1_l tick.isra.12 _ZN1a4pick17h4825b614ddcf043dE step.constprop.0.cold main
