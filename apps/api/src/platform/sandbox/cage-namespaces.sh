# Run inside namespaces of its own: makes a root that holds only what is named, goes there, and runs a command without
# any right over those namespaces. Usage: ROOT (link PATH TARGET | read PATH - | write PATH -)... -- COMMAND...
set -eu
root=$1
shift
mount -t tmpfs -o size=1m,mode=755 cage "$root"

# What a mount of the system forbids (nosuid, nodev, noexec) must be said again when it is made read-only.
restrict() {
  options=$(findmnt -n -o VFS-OPTIONS -M "$1" | sed 's/^rw/ro/')
  mount -o "remount,bind,$options" "$1"
}

while [ "$1" != -- ]; do
  how=$1 path=$2 target=$3
  shift 3
  if [ "$how" = link ]; then
    ln -s "$target" "$root$path"
    continue
  fi
  if [ -d "$path" ]; then mkdir -p "$root$path"; else mkdir -p "$root${path%/*}" && : >"$root$path"; fi
  mount --bind "$path" "$root$path"
  if [ "$how" = read ]; then restrict "$root$path"; fi
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
for name in sys sysrq-trigger irq bus; do
  if [ -e "$root/proc/$name" ]; then
    mount --bind "$root/proc/$name" "$root/proc/$name"
    restrict "$root/proc/$name"
  fi
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
