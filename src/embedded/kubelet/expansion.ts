/**
 * Kubernetes' own `$(VAR)` references in command, args and the values of variables: a known name becomes its
 * value, an unknown one stays as written, and `$$` is a `$` that begins no reference.
 */
export function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$(\$|\(([^)]*)\))/g, (whole, second: string, name: string) => {
    if (second === '$') return '$';
    return Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole;
  });
}
