import type { Node, Scalar } from 'yaml';
import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  parseAllDocuments,
} from 'yaml';
import { badInput } from '../base/errors.ts';
import { inputError } from './input-error.ts';

/** What a YAML file holds, every scalar as the text that was written; null where there is none. */
type YamlTree = string | null | readonly YamlTree[] | { readonly [key: string]: YamlTree };

export type YamlPath = readonly PropertyKey[];

export interface YamlSource {
  readonly tree: YamlTree;
  /** The error of what stands at a path: of its key where `ofKey`. Where there is nothing, of what it is missing in. */
  errorAt(path: YamlPath, reason: string, ofKey?: boolean): Error;
}

/** Far more than a workflow needs. The parser recurses, and ends the process at some ten thousand. */
const deepest = 64;
/** What anchors may multiply a file to. */
const mostNodes = 100_000;

/** Reads one YAML document. Throws a BadInput RunnerError that names file, line, column and reason. */
export function readYaml(text: string, file: string): YamlSource {
  const lines = new LineCounter();
  const fail = (offset: number, reason: string): Error => {
    const { line, col } = lines.linePos(offset);
    return inputError(file, { line: Math.max(line, 1), column: Math.max(col, 1) }, reason);
  };
  checkDepth(text, lines, fail);
  const documents = parseAllDocuments(text, {
    schema: 'failsafe', // every scalar is text
    stringKeys: true,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [document, second] = 'empty' in documents ? [] : documents;
  if (!document?.contents) throw badInput(`${file}: there is nothing in it`);
  const error = document.errors[0] ?? document.warnings[0];
  if (error) throw fail(error.pos[0], yamlReason(error.code, error.message));
  if (second)
    throw fail(second.range[0], 'a second document begins here; put each workflow into its own file');
  return new TreeReader(fail).read(document.contents);
}

/** The parser without its recursive half, only to see how deep it goes. */
function checkDepth(text: string, lines: LineCounter, fail: Fail): void {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme));
    if (parser.stack.length > deepest)
      throw fail(parser.offset, `it is nested more than ${deepest} levels deep`);
  }
  for (const _ of parser.end());
}

function yamlReason(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'the key stands here a second time; keep one of them';
  if (code === 'TAG_RESOLVE_FAILED') return 'tags are not read here, all values are text; leave the tag out';
  return message.charAt(0).toLowerCase() + message.slice(1);
}

type Fail = (offset: number, reason: string) => Error;

/** Follows aliases by itself, so that it can count what they come to and knows where each value stands. */
class TreeReader {
  private readonly fail: Fail;
  private readonly anchors = new Map<string, Node>();
  /** Offsets of values and keys, by path. */
  private readonly values = new Map<string, number>();
  private readonly keys = new Map<string, number>();
  private nodes = 0;

  constructor(fail: Fail) {
    this.fail = fail;
  }

  read(contents: Node): YamlSource {
    const tree = this.treeOf(contents, [], 0);
    return {
      tree,
      errorAt: (path, reason, ofKey) => this.fail(this.offsetOf(path, ofKey ?? false), reason),
    };
  }

  private treeOf(node: Node | null, path: YamlPath, offset: number): YamlTree {
    const start = node?.range?.[0] ?? offset;
    this.values.set(keyOf(path), start);
    this.nodes += 1;
    if (this.nodes > mostNodes || path.length > deepest) {
      throw this.fail(start, `with its aliases it is larger than ${mostNodes} values, or endless`);
    }
    if (isAlias(node)) {
      const target = this.anchors.get(node.source);
      if (!target) throw this.fail(start, `there is no anchor &${node.source} before this alias`);
      return this.treeOf(target, path, start);
    }
    this.remember(node);
    if (isSeq<Node>(node)) return node.items.map((item, index) => this.treeOf(item, [...path, index], start));
    if (isMap<Node, Node | null>(node)) {
      return Object.fromEntries(node.items.map(({ key, value }) => this.pairOf(key, value, path)));
    }
    return isScalar(node) && !isEmpty(node) ? String(node.value) : null;
  }

  private pairOf(key: Node, value: Node | null, path: YamlPath): [string, YamlTree] {
    const start = key.range?.[0] ?? 0;
    this.remember(key);
    const name = isScalar(key) ? String(key.value) : undefined;
    // Objects treat this one in a way of their own, so it would be lost.
    if (name === undefined || name === '__proto__') throw this.fail(start, 'this cannot be a key');
    if (name === '<<') throw this.fail(start, 'merge keys (<<) are not read here; write the values out');
    const inner = [...path, name];
    this.keys.set(keyOf(inner), start);
    return [name, this.treeOf(value, inner, start)];
  }

  private remember(node: Node | null): void {
    if (isScalar(node) || isCollection(node)) if (node.anchor) this.anchors.set(node.anchor, node);
  }

  private offsetOf(path: YamlPath, ofKey: boolean): number {
    const offset = (ofKey ? this.keys : this.values).get(keyOf(path));
    return offset ?? (path.length === 0 ? 0 : this.offsetOf(path.slice(0, -1), false));
  }
}

const keyOf = (path: YamlPath): string => JSON.stringify(path.map(String));

/** Nothing at all, where `""` is an empty text. */
const isEmpty = (scalar: Scalar): boolean => scalar.type === 'PLAIN' && scalar.value === '';
