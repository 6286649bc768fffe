import { openListedFile } from './listed-file.ts';
import { PackedBytes } from './packed-bytes.ts';
import { endOfArchive, paddedSize, paddingAfter } from './tar-format.ts';
import type { HeaderFields, Owner } from './tar-writer.ts';
import { entryHeader, entryHeaderSize } from './tar-writer.ts';
import { timeSlices } from './time-slice.ts';
import type { FileEntry, FolderEntry, TreeEntry, TreeListing } from './tree-listing.ts';

export interface PackedTree {
  readonly listing: TreeListing;
  /** The folder at the other end, which is there already and gets no entry of its own. */
  readonly target: 'work' | 'steps';
  /** Whether every file may be executed there, whatever its mode is here. */
  readonly executable: boolean;
}

interface LastEntry {
  readonly name: string;
  readonly content: string;
}

interface PackingOptions {
  readonly owner?: Owner;
  readonly spare?: Uint8Array[];
}

/** An `OutgoingArchive` of the executor contract. */
export interface TreeArchive {
  size(lastEntry: LastEntry): Promise<number>;
  open(lastEntry: LastEntry, options?: PackingOptions): AsyncIterable<Uint8Array>;
}

/**
 * The trees as one tar archive, made anew each time that it is opened. It holds what was listed: a file that grew
 * since is sent as long as it was, with a warning; one that shrank, vanished or was replaced ends the stream with an
 * UploadFailed RunnerError naming it.
 */
export function packTrees(trees: readonly PackedTree[], warn: (message: string) => void): TreeArchive {
  return {
    size: async (lastEntry) => {
      const last = lastFields(lastEntry);
      let size = entryHeaderSize(last) + paddedSize(last.size) + endOfArchive.length;
      for (const part of partsOf(trees)) {
        size += entryHeaderSize(part.fields) + (part.file ? paddedSize(part.file.size) : 0);
      }
      return size;
    },
    open: (lastEntry, options = {}) => packed(trees, lastEntry, options, warn),
  };
}

/** One entry of the archive, and where its content comes from. */
interface Part {
  readonly fields: HeaderFields;
  readonly root: string;
  readonly file: FileEntry | undefined;
}

async function* packed(
  trees: readonly PackedTree[],
  lastEntry: LastEntry,
  { owner, spare }: PackingOptions,
  warn: (message: string) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = new PackedBytes(spare);
  const pause = timeSlices();
  for (const { fields, root, file } of partsOf(trees)) {
    bytes.add(entryHeader(fields, owner));
    if (file) {
      const source = openListedFile(root, file, warn);
      try {
        if (file.size <= bytes.free) bytes.addNow(source, file.size);
        else {
          for (let left = file.size; left > 0; ) {
            left -= await bytes.addSome(source, left);
            yield* bytes.takeFull();
          }
        }
      } finally {
        source.close();
      }
      bytes.addZeros(paddingAfter(file.size));
    }
    // Of thousands of small files, most fill no chunk and need no pause: `yield*` and `await` take turns even so.
    for (const chunk of bytes.takeFull()) yield chunk;
    const turn = pause();
    if (turn) await turn;
  }
  const content = Buffer.from(lastEntry.content);
  bytes.add(entryHeader(lastFields(lastEntry)));
  bytes.add(content);
  bytes.addZeros(paddingAfter(content.length));
  bytes.add(endOfArchive);
  yield* bytes.takeFull();
  const rest = bytes.takeRest();
  if (rest.length > 0) yield rest;
}

const lastFields = ({ name, content }: LastEntry): HeaderFields => ({
  name,
  type: 'file',
  mode: 0o644,
  mtime: 946_684_800, // the year 2000: GNU tar warns of times about 1970
  size: Buffer.byteLength(content),
  target: '',
});

/**
 * Each folder comes twice. Ahead of its content with the owner's rights added, as nothing could be put into a
 * read-only one; and after everything, innermost first, as it really is. GNU tar holds modes and times of folders
 * back by itself, but busybox tar sets them at once and never again: later files change the time, and a folder
 * that was made read-only would refuse them. (Even so it does not keep the time of a folder with hard links or
 * with symbolic links that lead upwards, which it makes last; nor, as an ordinary user, the owner's missing rights.)
 */
function* partsOf(trees: readonly PackedTree[]): Generator<Part, void, undefined> {
  for (const tree of trees) {
    for (const entry of tree.listing.entries) yield partOf(tree, entry);
  }
  for (const tree of trees) {
    for (const entry of tree.listing.entries.toReversed()) {
      if (entry.kind === 'folder')
        yield { fields: folderFields(tree, entry, entry.mode), root: '', file: undefined };
    }
  }
}

function partOf(tree: PackedTree, entry: TreeEntry): Part {
  const { root } = tree.listing;
  if (entry.kind === 'folder') {
    return { fields: folderFields(tree, entry, entry.mode | 0o700), root, file: undefined };
  }
  const name = `${tree.target}/${entry.path}`;
  const { mode, mtime } = entry;
  switch (entry.kind) {
    case 'symlink':
      return {
        fields: { name, type: 'symlink', mode, mtime, size: 0, target: entry.target },
        root,
        file: undefined,
      };
    case 'link': {
      const target = `${tree.target}/${entry.target}`;
      return {
        fields: { name, type: 'link', mode: fileMode(tree, mode), mtime, size: 0, target },
        root,
        file: undefined,
      };
    }
    case 'file':
      return {
        fields: { name, type: 'file', mode: fileMode(tree, mode), mtime, size: entry.size, target: '' },
        root,
        file: entry,
      };
  }
}

const fileMode = (tree: PackedTree, mode: number): number => (tree.executable ? mode | 0o555 : mode);

const folderFields = (tree: PackedTree, entry: FolderEntry, mode: number): HeaderFields => ({
  name: `${tree.target}/${entry.path}/`,
  type: 'folder',
  mode,
  mtime: entry.mtime,
  size: 0,
  target: '',
});
