/**
 * The layers of src/, bottom first, each with what of ours it may import beside itself. Whatever is not listed
 * is forbidden, so a new folder has to be added here before anything can import it or be imported by it.
 */
const layers = {
  base: [],
  workflow: ['base'],
  archive: ['base'],
  kube: ['base'],
  engine: ['base'],
  'executor/executor.ts': ['base', 'workflow'],
  'executor/object-name.ts': [],
  'executor/let-runner-end.ts': ['base'],
  'executor/ready-in-time.ts': ['base'],
  'executor/word-watch.ts': ['base', 'executor/executor.ts'],
  'executor/step-protocol': ['base', 'executor/executor.ts'],
  'executor/kubernetes': [
    'base',
    'executor/executor.ts',
    'executor/object-name.ts',
    'executor/let-runner-end.ts',
    'executor/ready-in-time.ts',
    'executor/word-watch.ts',
    'executor/step-protocol',
    'kube',
  ],
  'executor/docker': [
    'base',
    'archive',
    'executor/executor.ts',
    'executor/object-name.ts',
    'executor/let-runner-end.ts',
    'executor/ready-in-time.ts',
    'executor/word-watch.ts',
    'executor/step-protocol',
    'engine',
  ],
  embedded: ['base', 'kube'],
  tenant: ['base', 'kube'],
  run: ['base', 'workflow', 'archive', 'executor/executor.ts'],
};

const pattern = (layer) => (layer.endsWith('.ts') ? `^src/${layer.replace('.', '\\.')}$` : `^src/${layer}/`);

const layerRules = Object.entries(layers).map(([layer, allowed]) => ({
  name: `layer ${layer}`,
  comment: `src/${layer} may import ${allowed.length > 0 ? allowed.join(', ') : 'nothing of ours'} beside itself`,
  severity: 'error',
  from: { path: pattern(layer) },
  to: { path: '^src/', pathNot: [layer, ...allowed].map(pattern) },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'unknown layer',
      comment:
        'every module of src/ belongs to a layer of .dependency-cruiser.cjs, to the command or to the library',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [...Object.keys(layers).map(pattern), '^src/cli/', '^src/index\\.ts$'],
      },
      to: {},
    },
    {
      name: 'library without the command',
      severity: 'error',
      from: { path: '^src/index\\.ts$' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'command without the library index',
      comment: 'src/index.ts is for users of the package; inside, modules are imported by name',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/index\\.ts$' },
    },
    {
      name: 'no cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'only what is shipped',
      comment: 'src/ runs without the development dependencies and without anything outside src/',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nothing from outside src',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|e2e|bench|scripts|examples)/' },
    },
    {
      name: 'not resolved',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
  },
};
