// A growable typed array, which doubles when full. While growing, it takes a third of the memory of
// an array of numbers, and the garbage collector does not visit its elements.

/** What Int32Array and Float64Array have in common. */
interface TypedArray<A> {
  readonly length: number;
  [index: number]: number;
  set(values: A, at?: number): void;
  subarray(from: number, until: number): A;
}

export class Column<A extends TypedArray<A>> {
  readonly #ArrayOf: new (length: number) => A;
  #array: A;
  #length = 0;

  constructor(ArrayOf: new (length: number) => A) {
    this.#ArrayOf = ArrayOf;
    this.#array = new ArrayOf(1024);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    this.#reserve(1);
    const array: TypedArray<A> = this.#array;
    array[this.#length] = value;
    this.#length += 1;
  }

  /** Appends several values. */
  append(values: A): void {
    this.#reserve(values.length);
    this.#array.set(values, this.#length);
    this.#length += values.length;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#array.length) return;
    const larger = new this.#ArrayOf(Math.max(needed, this.#array.length * 2));
    larger.set(this.#array);
    this.#array = larger;
  }

  /** All values so far: a view, not a copy. */
  get values(): A {
    return this.#array.subarray(0, this.#length);
  }
}
