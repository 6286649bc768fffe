/** What a folder held when it was listed; paths are relative to `root`, with slashes. */
export interface TreeListing {
  readonly root: string;
  /** In a fixed order, each folder before what is in it. The root itself is not among them. */
  readonly entries: readonly TreeEntry[];
  /** What was left out, for a person. */
  readonly warnings: readonly string[];
}

export type TreeEntry = FolderEntry | FileEntry | LinkEntry | SymlinkEntry;

interface AnyEntry {
  readonly path: string;
  /** Permission bits, at most 0o7777. */
  readonly mode: number;
  /** Whole seconds since 1970. */
  readonly mtime: number;
}

export interface FolderEntry extends AnyEntry {
  readonly kind: 'folder';
}

export interface FileEntry extends AnyEntry {
  readonly kind: 'file';
  readonly size: number;
  /** By which the file is known again when it is opened. */
  readonly inode: number;
}

/** A further name of a file that is listed before. */
interface LinkEntry extends AnyEntry {
  readonly kind: 'link';
  /** The path of that file. */
  readonly target: string;
}

/** Sent as it is, wherever it points: it is read again only where it is unpacked. */
interface SymlinkEntry extends AnyEntry {
  readonly kind: 'symlink';
  readonly target: string;
}
