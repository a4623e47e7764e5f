# The same loss as in pfc-off-loss, seen by a user without rights: what it takes is readable by anybody.
. "$(dirname "${BASH_SOURCE[0]}")/pfc-off-loss.sh"
as_user=65534
