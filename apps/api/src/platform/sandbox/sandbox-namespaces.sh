# Runs inside new namespaces: builds a root with only the given paths, pivots into it, and runs a command without any
# capabilities. Usage: ROOT (link PATH TARGET | read PATH OPTIONS | write PATH -)... -- COMMAND...
# The options must include the restrictions of the original mount (nosuid, nodev, noexec).
set -eu
root=$1
shift
mount -t tmpfs -o size=1m,mode=755 sandbox "$root"

while [ "$1" != -- ]; do
  how=$1 path=$2 target=$3
  shift 3
  if [ "$how" = link ]; then
    ln -s "$target" "$root$path"
    continue
  fi
  if [ -d "$path" ]; then mkdir -p "$root$path"; else mkdir -p "$root${path%/*}" && : >"$root$path"; fi
  if [ "$how" = read ]; then mount -o "bind,$target" "$path" "$root$path"; else mount --bind "$path" "$root$path"; fi
done
shift

mkdir -p "$root/proc" "$root/dev" "$root/before"
mount -t proc proc "$root/proc"
for name in null zero full random urandom; do
  : >"$root/dev/$name"
  mount --bind "/dev/$name" "$root/dev/$name"
done
# No nested user namespaces: creating them exposes parts of the kernel to attacks.
echo 0 >/proc/sys/user/max_user_namespaces
# If the server runs as root, the process owns these files even without capabilities.
options=$(findmnt -n -o VFS-OPTIONS -M "$root/proc" | sed 's/^rw/ro/')
for name in sys sysrq-trigger irq bus; do
  if [ -e "$root/proc/$name" ]; then mount -o "bind,$options" "$root/proc/$name" "$root/proc/$name"; fi
done
cd "$root"
pivot_root . before
umount -l /before
rmdir /before
mount -o remount,bind,ro /
cd /
# Not with exec: the first process of a PID namespace can't be killed by its own signals.
setpriv --no-new-privs --inh-caps=-all --bounding-set=-all -- "$@"
exit $?
