export type { Workflow } from './workflow/workflow.ts';
