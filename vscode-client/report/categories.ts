import { bar, el, table, zoneMark } from './dom';
import { percent, similarity } from './format';
import { link } from './host';
import type { Run } from './run';

/** Which cost category makes the rank of each of the first components. */
export function categories(run: Run, host: HTMLElement): void {
  const c = run.report.components;
  const kinds: { head: string; value: (i: number) => number }[] = [];
  if (run.energy) {
    run.report.domains.forEach((domain, d) => {
      const column = c.energy_j[d] ?? [], all = column.reduce((a, b) => a + b, 0);
      kinds.push({ head: `${run.est}E ${domain}`, value: (i) => share(column[i] ?? 0, all) });
    });
  }
  kinds.push({ head: 'N executions', value: (i) => share(run.n(i), run.allN) }, { head: 'T running time', value: (i) => share(run.ms(i), run.allMS) });
  const rows = Array.from({ length: Math.min(run.report.top, run.size) }, (_, i) => {
    const most = Math.max(...kinds.map((kind) => kind.value(i)));
    const cells = kinds.map((kind) => {
      const v = kind.value(i), first = v === most && v > 0;
      return bar(v, `${percent(v)}${first ? ' ◆' : ''}`, first ? 'most' : '');
    });
    return [el('span', {}, zoneMark(run.zone(i)), ' ', link(run.place(i), run.name(i))), similarity(run.psi(i)), ...cells];
  });
  host.append(
    el('p', {}, 'Shares of the totals. psi is computed from their product, test by test: it is high when all shares of a component are high. ◆ marks the largest share. The line below each row explains what stands out.'),
    el('div', { class: 'wide categories' }, table(`The first ${rows.length} by ${run.report.criterion}`, [run.report.kind, '#psi', ...kinds.map((kind) => kind.head)], rows, c.explanations)));
}

function share(part: number, whole: number): number { return whole === 0 ? 0 : part / whole; }
