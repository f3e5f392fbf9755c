import type { Hidden } from './hidden.ts';

/** Programs that are asked each time, since nothing can be said of what they run, with the reason (to stand behind "it"). */
export const UNREADABLE: ReadonlyMap<string, string> = new Map([
  ...all(
    'may run other commands in a way that is not read here',
    `parallel ssh su runuser chroot unshare nsenter script expect at batch crontab screen tmux entr systemd-run pkexec busybox
     toybox strace ltrace gdb lldb dbus-run-session dbus-launch xvfb-run fakeroot rlwrap unbuffer setpriv prlimit chpst taskset
     chrt numactl proot bwrap firejail run-parts start-stop-daemon fish csh tcsh rbash pwsh powershell cmd coproc fc caffeinate
     noglob nocorrect repeat linux32 linux64 setarch i386 x86_64 runcon sg newgrp cgexec catchsegv ld.so osascript compgen ssh-agent
     vi vim nvim ex ed emacs`,
  ),
  ...all('changes what later commands mean', 'alias unalias enable hash bind complete compopt shopt'),
  ...all('runs a script in this shell, whose commands are not read', 'source .'),
  ...all('goes back to a folder that is not known', 'popd'),
]);

/** Of these; what is in a script that is run is not looked into with any program. */
export const HIDES_NOTHING: ReadonlySet<string> = new Set(['source', '.', 'popd']);

/** What a command is that may run others which are not read. */
export function unread(reason: string): Hidden {
  return { ask: [reason], unread: true };
}

function all(reason: string, names: string): [string, string][] {
  return names.split(/\s+/).map((name) => [name, reason]);
}
