import type { Report } from './report.ts';
import { markdownTable, notesOf } from './table.ts';

const beginning = '<!-- figures: written by bench/publish.ts -->';
const end = '<!-- end of figures -->';

/** A page of which what stands between the two marks is written anew. Throws where they are not there. */
export function withFigures(page: string, report: Report): string {
  const from = page.indexOf(beginning);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the page has no place for figures: ${beginning} … ${end}`);
  const { cluster, machine, kubectl, startedAt } = report;
  const where = [
    `Measured ${startedAt.slice(0, 10)} in ${Math.round(report.durationMs / 1000)} s: Kubernetes ${cluster.version}, ${cluster.runtime},`,
    `image ${cluster.image}, kubectl ${kubectl}, Node ${machine.node}, ${machine.cpus} × ${machine.cpu || 'processor'},`,
    `${Math.round(machine.memoryBytes / 1e9)} GB.`,
  ].join(' ');
  const notes = notesOf(report).map((note) => `- ${note}\n`);
  const figures = [where, '', markdownTable(report), notes.join('')].join('\n');
  return `${page.slice(0, from + beginning.length)}\n${figures}${page.slice(to)}`;
}
