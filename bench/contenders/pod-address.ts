/** Where an exec goes. */
export interface PodAddress {
  readonly pod: string;
  readonly container: string;
}
