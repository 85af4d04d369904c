# Run inside namespaces of its own: makes a root that holds only what is named, goes there, and runs a command without
# any right over those namespaces. Usage: ROOT (link PATH TARGET | read PATH OPTIONS | write PATH -)... -- COMMAND...
# What a mount of the system forbids (nosuid, nodev, noexec) must be among the options.
set -eu
root=$1
shift
mount -t tmpfs -o size=1m,mode=755 cage "$root"

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
# none inside of this one: making them is how processes reach parts of the kernel that are not meant for them
echo 0 >/proc/sys/user/max_user_namespaces
# where the server runs as root, these belong to the process even without any right
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
# not in place of this shell: the first process of a namespace cannot be ended by its own signals
setpriv --no-new-privs --inh-caps=-all --bounding-set=-all -- "$@"
exit $?
