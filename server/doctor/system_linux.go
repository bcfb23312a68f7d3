package doctor

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// fileSystems are the names of file systems by their number in statfs.
var fileSystems = map[int64]struct {
	name    string
	network bool
}{
	unix.NFS_SUPER_MAGIC: {"nfs", true}, unix.SMB_SUPER_MAGIC: {"smb", true}, unix.CIFS_SUPER_MAGIC: {"cifs", true}, unix.SMB2_SUPER_MAGIC: {"smb", true},
	unix.V9FS_MAGIC: {"9p", true}, unix.AFS_SUPER_MAGIC: {"afs", true}, unix.CEPH_SUPER_MAGIC: {"ceph", true}, unix.CODA_SUPER_MAGIC: {"coda", true},
	unix.OCFS2_SUPER_MAGIC: {"ocfs2", true}, 0x0bd00bd0: {"lustre", true},
	unix.EXT4_SUPER_MAGIC: {"ext4", false}, unix.XFS_SUPER_MAGIC: {"xfs", false}, unix.BTRFS_SUPER_MAGIC: {"btrfs", false}, 0x2fc12fc1: {"zfs", false},
	unix.F2FS_SUPER_MAGIC: {"f2fs", false}, unix.TMPFS_MAGIC: {"tmpfs", false}, unix.OVERLAYFS_SUPER_MAGIC: {"overlay", false}, unix.FUSE_SUPER_MAGIC: {"fuse", false},
}

func fileSystemOf(folder string) fileSystem {
	var stat unix.Statfs_t
	if unix.Statfs(folder, &stat) != nil {
		return fileSystem{free: -1, inodes: -1}
	}
	known := fileSystems[int64(stat.Type)&0xffffffff] //nolint:unconvert // Type has 32 bits on some systems
	system := fileSystem{kind: known.name, network: known.network, inodes: -1}
	system.free = int64(stat.Bavail) * int64(stat.Bsize) //nolint:unconvert // Bsize has 32 bits on some systems
	if stat.Files > 0 {                                  // some file systems have no limit
		system.inodes = int64(stat.Ffree)
	}
	return system
}

// clockState describes whether the kernel synchronizes its clock. Virtual machines may synchronize it in
// other ways, so this is no finding.
func clockState() string {
	var state unix.Timex
	if _, err := unix.Adjtimex(&state); err != nil {
		return "NTP state unknown"
	}
	if state.Status&unix.STA_UNSYNC != 0 {
		return "not synchronized by NTP"
	}
	return fmt.Sprintf("synchronized by NTP within %d ms", max(1, state.Maxerror/1000))
}
