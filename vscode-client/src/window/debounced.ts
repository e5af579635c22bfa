/** Runs an action once there has been no further call for some time. */
export class Debounced {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ms: number, private readonly act: () => void) {}

  schedule(): void {
    this.dispose();
    this.timer = setTimeout(this.act, this.ms);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}
